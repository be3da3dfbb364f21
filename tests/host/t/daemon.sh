#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4
# time: 360
#
# xenschedd on a real host: the guest that talks to dom0's block backend runs
# next to dom0 when it has been moved there, and nothing else is moved; whatever
# ends it, everything is restored; what an operator sets stays.  Fails if the
# guest has its affinity and runs elsewhere, if the idle guest is taken along, if
# the daemon forgets what it changed when it is killed, fights with the operator,
# or leaves something behind: an affinity, the log area, an event that is on.
# No NUMA nodes: xl would put the guest on one, perhaps on the right one.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs
stopped=
log=${daemon_log:?}

guest start paced name=disk &
guest start idle &
wait
affinities >before
original=$(soft disk)

nothing_is_left()
{
    affinities >after
    check "$1: every affinity is as before" cmp before after
    check "$1: the state file is gone" test ! -e /var/lib/xensched/state.json
    is "$1: events are off, the log area is free" \
        "$(schedlog-count off 0 "$(xl domid disk)" sleep 1)" "rows 0 sum 0 others 0"
}

# In mode act it moves the guest that talks, and only it.
start_daemon --mode act
is "the daemon starts" "$?" 0
check "the disk guest is moved next to dom0" \
    until_true 30 soft_is disk "$near"
check "and runs there, by the log" runs_near disk
check "the daemon reports that it runs there" until_true 5 at_place disk
check "the journal says that it arrived" until_true 5 journal_has arrived disk
affinities >after
is "it, and only it, was moved" \
    "$(diff before after | sed -n 's/^+\([^+ ]*\) .*/\1/p')" disk
xensched plan >plan.txt
check "the plan names its partner" \
    grep -q "with Domain-0" plan.txt
check "and where that is" grep -q "pCPUs $near" plan.txt
check "the matrix has it" \
    sh -c 'xensched matrix | grep -q "evtchn-send *disk "'
check "the journal has the move" journal_has move disk
check "the original affinity is on disk" \
    grep -q '"name":"disk"' /var/lib/xensched/state.json
xenschedd >second.txt 2>&1
is "a second daemon is refused" "$?" 4
stop_daemon TERM
is "it ends cleanly on SIGTERM" "$stopped" 0
nothing_is_left "after SIGTERM"
xensched status >status.txt 2>&1
is "without a daemon status says so" "$?" 3

# Killed, its successor restores before anything else, also if it only advises.
start_daemon --mode act
check "another one moves the guest" until_true 30 soft_is disk "$near"
stop_daemon KILL
is "killed, it leaves the affinity changed" "$(soft disk)" "$near"
start_daemon --mode advise
is "the next one starts" "$?" 0
is "it has restored the affinity" "$(soft disk)" "$original"
check "it proposes the move" until_true 20 \
    sh -c 'xensched plan | grep -q proposed'
is "but does not make it" "$(soft disk)" "$original"
stop_daemon INT
is "it ends cleanly on SIGINT" "$stopped" 0
nothing_is_left "after kill -9 and a restart"

# What an operator sets stays.
start_daemon --mode act
check "a third one moves the guest" until_true 30 soft_is disk "$near"
xl vcpu-pin disk all all 3
sleep 3
is "an operator can take the guest over" "$(soft disk)" 3
check "the plan says so" \
    sh -c 'xensched plan | grep -q "disk .*set by an operator"'
check "and the journal" journal_has operator disk
stop_daemon TERM
is "the guest stays where the operator wants it" "$(soft disk)" 3

# The configuration is read again on SIGHUP; xensched restore restores, and
# keeps the daemon from moving it again.
xl vcpu-pin disk all all all
conf=/etc/xen/xensched.conf
mkdir -p /etc/xen
start_daemon
echo 'modus = "act"' >$conf
kill -HUP "${daemon:?}"
check "a wrong configuration is named with its line" until_true 5 \
    grep -q "$conf:1: there is no key 'modus'" "$log"
check "and changes nothing" sh -c 'xensched status | grep -q "mode advise"'
echo 'mode = "act"' >$conf
kill -HUP "${daemon:?}"
check "one that acts is taken over, and the guest moved" \
    until_true 30 soft_is disk "$near"
check "and there it runs" runs_near disk
rm $conf
check "restore works" xensched restore
is "it has put the guest back" "$(soft disk)" all
sleep 3
is "and there it stays" "$(soft disk)" all
finish
