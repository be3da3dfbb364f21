#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: --sockets 2 --cores 4
# time: 360
#
# xenschedd on a real host: it moves the guest that uses dom0's block back end next to dom0, and no
# other guest, and the guest runs there; whatever ends the daemon, all affinities are restored; an
# operator's affinity stays.  Fails if the guest has the affinity and runs elsewhere, if the idle
# guest moves too, if a killed daemon's changes are forgotten, if the daemon undoes an operator's
# affinity, or leaves something behind: an affinity, the log area, an event that is on.  Without
# NUMA nodes, because xl would put the guest on a node, perhaps on the right one.

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

# In mode act it moves the guest that communicates with dom0, and no other one.
start_daemon --mode act
is "the daemon starts" "$?" 0
check "the disk guest is moved next to dom0" \
    until_true 30 soft_is disk "$near"
check "and runs there, according to the log" runs_near disk
check "the daemon reports that it runs there" until_true 5 at_place disk
check "the journal says that it arrived" until_true 5 journal_has arrived disk
affinities >after
is "the disk guest, and only it, was moved" \
    "$(diff before after | sed -n 's/^+\([^+ ]*\) .*/\1/p')" disk
xensched plan >plan.txt
check "the plan names its partner" \
    grep -q "with Domain-0" plan.txt
check "and the partner's pCPUs" grep -q "pCPUs $near" plan.txt
check "the matrix has the pair" \
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
is "without a daemon status reports that" "$?" 3

# After a kill the next daemon first restores, even in mode advise.
start_daemon --mode act
check "another daemon moves the guest" until_true 30 soft_is disk "$near"
stop_daemon KILL
is "when the daemon is killed, the affinity stays" "$(soft disk)" "$near"
start_daemon --mode advise
is "the next daemon starts" "$?" 0
is "it has restored the affinity" "$(soft disk)" "$original"
check "it proposes the move" until_true 20 \
    sh -c 'xensched plan | grep -q proposed'
is "but does not make it" "$(soft disk)" "$original"
stop_daemon INT
is "it ends cleanly on SIGINT" "$stopped" 0
nothing_is_left "after kill -9 and a restart"

# An operator's affinity stays.
start_daemon --mode act
check "a third daemon moves the guest" until_true 30 soft_is disk "$near"
xl vcpu-pin disk all all 3
sleep 3
is "an operator can take the guest over" "$(soft disk)" 3
check "the plan reports that" \
    sh -c 'xensched plan | grep -q "disk .*set by an operator"'
check "and the journal" journal_has operator disk
stop_daemon TERM
is "the guest stays where the operator wants it" "$(soft disk)" 3

# SIGHUP reloads the configuration; xensched restore restores all affinities, and stops moves.
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
check "with mode act in the configuration the guest is moved" \
    until_true 30 soft_is disk "$near"
check "and runs there" runs_near disk
rm $conf
check "restore succeeds" xensched restore
is "it has restored the guest's affinity" "$(soft disk)" all
sleep 3
is "and the affinity stays" "$(soft disk)" all
finish
