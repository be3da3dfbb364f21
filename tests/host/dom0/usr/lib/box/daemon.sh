# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests of xenschedd: binds dom0 to socket 0, whose pCPUs are $near, starts a daemon whose
# output is kept, and shows affinities, and where guests run.

. /usr/lib/box/ran.sh

daemon=
stopped=
daemon_log=/run/xenschedd.log

# Settings for a slow host: guests settle sooner than by default, and need less gain.  Emulated
# pCPUs have no caches that miss.  Except in exact mode, the emulator decides how long a vCPU waits
# for a pCPU, and that is no reason to undo a move, so wake-delay is not logged.
daemon_events=service-ns,evtchn-send,grant-map,grant-copy,grant-unmap,ring-pages
daemon_settings="--settle 2000 --least-gain 10 --misses 0 --log $daemon_events"

# begin_daemon OPTION...: returns at once.  (Not for check, which runs its command in a subshell.)
begin_daemon()
{
    # shellcheck disable=SC2086 # several words
    xenschedd $daemon_settings "$@" >>$daemon_log 2>&1 &
    daemon=$!
}

# start_daemon OPTION...: returns when the daemon can be asked.
start_daemon()
{
    begin_daemon "$@"
    until_true 30 xensched status >/dev/null 2>&1
}

# stop_daemon SIGNAL: its exit code is in $stopped.
# shellcheck disable=SC2034 # for the test
stop_daemon()
{
    stopped=0
    kill "-$1" "$daemon"
    wait "$daemon" 2>/dev/null || stopped=$?
    daemon=
}

# said_times WORDS: counts messages of the daemons of this test.
said_times()
{
    grep -c "$1" $daemon_log
}

# pages GUEST: prints the pages that the matrix has between dom0 and it.
pages()
{
    xensched matrix | awk -v guest="$1" '
        $1 == "ring-pages" && $2 == "Domain-0" && $4 == guest { n = $7 }
        END { print n + 0 }'
}

# more_pages GUEST COMMAND: prints the pages of the command, when the daemon has read them, which it
# does ten times a second.
more_pages()
{
    before=$(pages "$1")
    in_guest "$1" "$2" || return 1
    sleep 2
    echo $(($(pages "$1") - before))
}

# status_of NAME KEY: prints a member of the guest's status; the journal in it has names, too.
status_of()
{
    xensched status --json | tr -d ' \n' |
        sed 's/"journal":.*//; s/"ran":\[[^]]*\],*//g' |
        sed -n "s/.*\"name\":\"$1\",\([^{}]*\).*/\1/p" | tr , '\n' |
        sed -n "s/^\"$2\"://p"
}

# status_is NAME KEY VALUE
status_is()
{
    equal "$(status_of "$1" "$2")" "$3"
}

# at_place NAME: whether it is at its target, according to the daemon.
at_place()
{
    percent_is 90 "$(status_of "$1" at_place | awk '{ print 100 * $1 }')"
}

# journal_has KIND NAME: whether the journal has such an entry about the guest.
journal_has()
{
    grep "\"what\":\"$1\".*\"name\":\"$2\"" /var/log/xensched/journal.jsonl
}

# The soft affinity of a guest's first vCPU.
soft()
{
    xl vcpu-list "$1" | awk 'NR == 2 { print $NF }'
}

soft_is()
{
    [ "$(soft "$1")" = "$2" ]
}

# hard_is GUEST CPUS: the hard affinity of its first vCPU.
hard_is()
{
    equal "$(xl vcpu-list "$1" | awk 'NR == 2 { print $(NF - 2) }')" "$2"
}

# runs_near GUEST: checks that it soon runs next to dom0.  Its affinity is no proof, because Xen's
# balancer may ignore it.
runs_near()
{
    until_true 5 runs_at "$1" "$near" 1
}

# Name, vCPU, hard and soft affinity of every domain.
affinities()
{
    xl vcpu-list | awk 'NR > 1 { print $1, $3, $(NF - 2), $NF }' | sort
}

# everything_is_back WHEN: checks that affinities are those in "before", and that the daemon has
# nothing left to restore.
everything_is_back()
{
    affinities >after
    check "$1: every affinity is as before" cmp before after
    check "$1: nothing is left to restore" test ! -e /var/lib/xensched/state.json
}

near=$(ran_topology | awk '$3 == 0 { last = $2 } END { print "0-" last }')
if [ "${ran_place:?}" = cluster ]; then
    far=$(ran_topology | awk '$3 { if (!n++) first = $2; last = $2 } END { print first "-" last }')
    daemon_settings="$daemon_settings --llc $near/$far"
fi
xl vcpu-pin Domain-0 all "$near"
