#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4 --systemd
# time: 600
# only: full
# The installed unit of xenschedd, under systemd itself: it starts, moves a guest within the unit's
# restrictions, reloads, is killed when it hangs, starts again, and restores all affinities.  Fails if
# the unit denies what the daemon needs, grants more than it declares, or if systemd's view of the
# daemon is wrong.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/systemd.sh
near=${near:?} # dom0's pCPUs

defaults=/etc/default/xenschedd
drop_in=/run/systemd/system/xenschedd.service.d
journal=/var/log/xensched/journal.jsonl
log=${daemon_log:?}

sctl()
{
    in_systemd systemctl "$@"
}

# show PROPERTY: prints a property of the service.
show()
{
    sctl show --property="$1" --value xenschedd
}

show_is()
{
    equal "$(show "$1")" "$2"
}

start_fails()
{
    ! sctl start xenschedd
}

# has FIELD: prints a field of the daemon's status in /proc.
has()
{
    sed -n "s/^$1:\t//p" "/proc/$pid/status"
}

# in_service COMMAND...: runs it with the daemon's view of files.
in_service()
{
    nsenter -t "$pid" -m "$@"
}

read_only()
{
    in_service touch "$1/x" 2>&1 | grep "Read-only file system"
}

# dom0 has no network either, so the daemon's namespace has to be another one.
no_network()
{
    equal "$(sed -n 's/ *\(.*\):.*/\1/p' "/proc/$pid/net/dev")" lo &&
        [ "$(readlink "/proc/$pid/ns/net")" != "$(readlink /proc/1/ns/net)" ]
}

# opens DEVICE: tries it with the service's rights to devices.
opens()
{
    sh -c 'echo 0 >$1/cgroup.procs && : <$2' sh \
        /sys/fs/cgroup/system.slice/xenschedd.service "$1" 2>&1
}

# journal_times KIND: counts entries in the daemon's journal.
journal_times()
{
    grep -c "\"what\":\"$1\"" $journal
}

journal_has_times()
{
    [ "$(journal_times "$1")" -ge "$2" ]
}

# xenstored was started by dom0's init.
mkdir -p $drop_in /etc/default
cat >/run/systemd/system/xenstored.service <<END
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
END
cat >$drop_in/test.conf <<END
[Service]
WatchdogSec=15
StandardOutput=append:$log
StandardError=append:$log
END
echo "XENSCHEDD_ARGS='--mode act ${daemon_settings:?}'" >$defaults

guest start paced name=disk
affinities >before
check "systemd starts" start_systemd
check "it starts the unit" sctl start xenschedd
check "and returns when it can be asked" xensched status
is "the process is the one that systemd watches" \
    "$(show MainPID)" "$(cat /run/xensched/lock)"
pid=$(pidof xenschedd)
check "the disk guest is moved next to dom0" until_true 30 soft_is disk "$near"
check "and runs there" runs_near disk
is "it can have one capability" "$(has CapBnd)" 0000000000200000
is "and has it" "$(has CapEff)" 0000000000200000
is "it gets no new privileges" "$(has NoNewPrivs)" 1
is "its system calls are filtered" "$(has Seccomp)" 2
check "it has no network" no_network
for place in /etc /usr/bin /run /var/lib /var/log; do
    check "it cannot write to $place" read_only $place
done
for place in /run/xensched /var/lib/xensched /var/log/xensched; do
    check "it can write to $place" in_service touch $place/x
done
check "it can open Xen's device for hypercalls" opens /dev/xen/privcmd
check "but not the one for grants" \
    equal "$(opens /dev/xen/gntdev | sed 's/.*: //')" "Operation not permitted"

check "systemctl reload" sctl reload xenschedd
check "it has read its configuration again" until_true 10 journal_has_times reload 1
is "and is the same process" "$(pidof xenschedd)" "$pid"
check "for systemd, too" until_true 10 show_is SubState running

is "nothing was restored before" "$(journal_times restore)" 0
kill -STOP "$pid"
check "a daemon that hangs is killed and restarted" until_true 40 show_is NRestarts 1
check "the next daemon is ready" until_true 30 show_is SubState running
check "and it is another process" test "$(pidof xenschedd)" != "$pid"
check "it has restored what the first one changed" journal_has_times restore 1
check "and moves the guest again" until_true 30 journal_has_times move 2
check "the guest is next to dom0 again" soft_is disk "$near"
check "systemctl stop" sctl stop xenschedd
is "it ended well" "$(show Result)" success
affinities >after
check "every affinity is as before" cmp before after
check "nothing is left to restore" test ! -e /var/lib/xensched/state.json
check "nothing is left in /run" test ! -e /run/xensched
check "it was never denied anything" \
    sh -c "[ -s $log ] && ! grep -i 'not permitted\|denied\|read-only' $log"

echo 'XENSCHEDD_ARGS="--mode sideways"' >$defaults
check "with wrong use the unit does not start" start_fails
sleep 3
is "its exit code" "$(show ExecMainStatus)" 2
is "it has failed" "$(show SubState)" failed
is "and is not tried again" "$(show NRestarts)" 0
[ "$TAP_FAILED" = 0 ] || sed 's/^/# xenschedd: /' $log
rm -f $defaults
finish
