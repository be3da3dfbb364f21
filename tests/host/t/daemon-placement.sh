#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 8
# box: --sockets 2 --cores 4
# time: 240
#
# The policy placement on a real host: the guest that reads from dom0's disk is moved next to dom0,
# because that costs less, and runs there; the reason has the prices; the idle guest, for which no
# place is cheaper, stays; in the end all is restored.  Fails if prices do not follow from what the
# guests do, or if the move has no effect.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs
stopped=

guest start paced name=disk &
guest start idle &
wait
affinities >before

start_daemon --mode act --policies placement
is "the daemon starts" "$?" 0
check "the disk guest is moved next to dom0" until_true 40 soft_is disk "$near"
check "and runs there, according to the log" runs_near disk
check "the journal says that it arrived" until_true 10 journal_has arrived disk
xensched explain disk >explain.txt
sed 's/^/# /' explain.txt
check "the reason has the saving" \
    grep -q 'saves [0-9.]* ms/s ([0-9]* notifications/s .*with Domain-0' explain.txt
check "and the least gain" grep -q 'least gain [0-9.]* ms/s' explain.txt
affinities >after
is "the disk guest, and only it, was moved" \
    "$(diff before after | sed -n 's/^+\([^+ ]*\) .*/\1/p')" disk
sleep 12
is "the predicted saving arrived, so no move is undone" \
    "$(grep -c '"what":"regret"' /var/log/xensched/journal.jsonl)" 0
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
affinities >after
check "every affinity is as before" cmp before after
finish
