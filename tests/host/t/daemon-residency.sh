#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4 --numa
# time: 300
#
# A guest already has a soft affinity to dom0's node, as xl sets it on NUMA hosts, but Xen runs it
# on the other node: the daemon moves it to dom0's node.  The log proves where the guest ran, before
# and after.  Fails if the daemon takes the affinity for its effect.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs
far=4-7
stopped=

# ran_on GUEST CPUS: checks that it ran there for 95 % of 5 s, by the rows of the log.
ran_on()
{
    record_ran 5 || return 1
    percent_is 95 "$(ran_share "$1" "$2")"
}

# While four guests compute on dom0's node, the disk guest runs on the other node.  When they have
# ended, nothing makes Xen move it back: one guest computes there, so both nodes have equal load.
guest start disk
for name in one two three four; do
    guest start computing name=$name &
done
wait
for name in one two three four; do
    xl vcpu-pin $name all "$near" "$near"
done
xl vcpu-pin disk 0 $far "$near"
sleep 2
xl vcpu-pin disk 0 all "$near"
sleep 5
for name in one two three; do
    xl destroy $name
done
affinities >before
is "the disk guest has a soft affinity to dom0's node" "$(soft disk)" "$near"
check "and no hard affinity" hard_is disk all

start_daemon --mode advise
is "the daemon starts" "$?" 0
check "according to the log, it runs on the other node" ran_on disk $far
check "the plan says that the affinity has no effect" until_true 10 sh -c \
    "xensched plan | tr -s '\n ' ' ' | grep 'prefers node 0 already, but runs there'"
xensched explain disk | sed 's/^/# /'
xensched act
check "it is moved to dom0's node: according to the log, it runs there" \
    until_true 40 ran_on disk "$near"
check "the journal says that it arrived" journal_has arrived disk
xensched explain disk | sed 's/^/# /'
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
affinities >after
check "every affinity is as before" cmp before after
finish
