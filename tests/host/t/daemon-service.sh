#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 8
# box: --sockets 2 --cores 4
# time: 300
# only: full
#
# xenschedd as a service: its init script returns when it can be asked, and distinguishes a killed
# daemon from one that ended; a service manager with systemd's protocol learns that the daemon is
# ready when it reads, and alive only while it reads; the daemon works with the unit's restrictions:
# one capability, and three folders to write to.  Fails if it claims to be alive while it hangs,
# needs more than that, or leaves something behind.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs
settings=${daemon_settings:?}

init=$(command -v xenschedd.init)
defaults=/etc/default/xenschedd
told=/run/told
output=/run/service.log

# code_of COMMAND...: prints its exit code; $said is its output.
code_of()
{
    local code=0

    said=$("$@" 2>&1) || code=$?
    echo "# $*: $said" >&2
    return $code
}

# ends WHAT CODE COMMAND...: checks the exit code
ends()
{
    local what=$1 wanted=$2 code=0

    shift 2
    code_of "$@" || code=$?
    is "$what" "$code" "$wanted"
}

check "there is an init script" test -x "$init"
ends "status: not running" 3 "$init" status
ends "wrong use" 2 "$init" nonsense
mkdir -p /etc/default
echo 'XENSCHEDD_ARGS="--mode sideways"' >$defaults
ends "a start that fails is a failure" 1 "$init" start
check "and says why" equal "${said#*--mode does not take}" \
    " 'sideways' but observe, advise or act; see --help"
echo "XENSCHEDD_ARGS='--mode act $settings'" >$defaults
ends "start" 0 "$init" start
check "it can be asked at once" sh -c 'xensched status --json | grep -q "\"act\""'
ends "status: running" 0 "$init" status
first=$(cat /run/xensched/lock)
ends "to start it again is no harm" 0 "$init" start
is "reload keeps the process" "$(cat /run/xensched/lock)" "$first"
ends "reload" 0 "$init" reload
check "it has read its configuration again" until_true 5 \
    grep -q '"what":"reload"' /var/log/xensched/journal.jsonl
is "and it is the same process" "$(cat /run/xensched/lock)" "$first"
ends "restart" 0 "$init" restart
check "it is another process" test "$(cat /run/xensched/lock)" != "$first"
ends "stop" 0 "$init" stop
ends "status: ended" 3 "$init" status
check "nothing is left to restore" test ! -e /var/lib/xensched/state.json
ends "to stop it again is no harm" 0 "$init" stop
ends "try-restart: only what runs" 0 "$init" try-restart
ends "status: still ended" 3 "$init" status
ends "reload: no daemon runs" 7 "$init" reload
ends "start, to be killed" 0 "$init" start
kill -9 "$(cat /run/xensched/lock)"
sleep 1
ends "status: it was killed" 1 "$init" status
ends "start, after that" 0 "$init" start
ends "stop, after that" 0 "$init" stop

# service OPTION...: runs the daemon with the unit's restrictions.
service()
{
    mkdir -p /run/xensched /var/lib/xensched /var/log/xensched
    # shellcheck disable=SC2086 # several words
    unshare -m sh -c '
        mount --make-rprivate /
        for place in /run/xensched /var/lib/xensched /var/log/xensched \
            /var/lib/xen; do
            mount -o bind $place $place
        done
        mount -o remount,bind,ro / || exit 1
        ! touch /etc/x 2>/dev/null || exit 1
        exec as-service 4 xenschedd "$@"' \
        sh $settings "$@" >$told 2>>$output &
    manager=$!
}

says()
{
    grep -q "^$1" $told
}

guest start paced name=disk
original=$(soft disk)
service --mode act
check "systemd is told READY=1" until_true 20 says "READY=1"
check "then it can be asked" xensched status
check "systemd gets signs of life" until_true 10 says "WATCHDOG=1"
check "with one capability and three folders, a guest is moved" \
    until_true 30 soft_is disk "$near"
check "and runs where it was moved" runs_near disk
is "the process with one capability is the daemon" \
    "$(sed -n 's/^CapEff:\t//p' "/proc/$(cat /run/xensched/lock)/status")" \
    0000000000200000
kill -HUP "$manager"
check "systemd is told when a reload begins" until_true 5 says "RELOADING=1"
check "and when it ends" until_true 5 \
    sh -c "[ \$(grep -c '^READY=1' $told) = 2 ]"
kill -STOP "$(cat /run/xensched/lock)"
check "a daemon that hangs sends no sign of life" until_true 20 says "watchdog: killed"
wait "$manager"
is "its affinity stays" "$(soft disk)" "$near"
service --mode advise
check "the next daemon is ready" until_true 30 says "READY=1"
is "and has restored the affinity" "$(soft disk)" "$original"
kill -TERM "$manager"
wait "$manager"
is "it ends cleanly" "$?" 0
is "its last notification is STOPPING=1" "$(tail -n 1 $told)" "STOPPING=1"
rm -f $defaults $told $output
finish
