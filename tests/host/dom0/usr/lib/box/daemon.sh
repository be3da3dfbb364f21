# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests of xenschedd: dom0 held on pCPUs 0-1 (socket 0), a daemon whose
# output is kept, and what is to be seen of affinities.

daemon=
stopped=
daemon_log=/run/xenschedd.log

# begin_daemon OPTION...: returns at once.  (Not to be used with check, which
# runs its command in a subshell.)  It neither waits for guests to settle as
# long as it does by default, nor needs as much talk: the host may be slow.
begin_daemon()
{
    xenschedd --settle 2000 --min-rate 20 "$@" >>$daemon_log 2>&1 &
    daemon=$!
}

# start_daemon OPTION...: returns when it can be asked.
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

# said_times WORDS: by the daemons of this test.
said_times()
{
    grep -c "$1" $daemon_log
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

# Name, vCPU, hard and soft affinity of everything.
affinities()
{
    xl vcpu-list | awk 'NR > 1 { print $1, $3, $(NF - 2), $NF }' | sort
}

# until_true SECONDS COMMAND...
until_true()
{
    local left="$1"

    shift
    until "$@"; do
        [ "$left" -gt 0 ] || return 1
        left=$((left - 1))
        sleep 1
    done
}

# Whatever the test did, the next one finds the host as it was.
tidy()
{
    [ -z "$daemon" ] || stop_daemon TERM
    xl vcpu-pin Domain-0 all all all
    rm -rf /var/lib/xensched /var/log/xensched $daemon_log
}

trap tidy EXIT
xl vcpu-pin Domain-0 all 0-1
