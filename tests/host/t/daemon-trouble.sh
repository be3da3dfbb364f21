#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4
# time: 600
#
# What happens to a host while xenschedd places its guests: one is renamed,
# booted anew, destroyed in the middle of a move, put into another cpupool; a
# pCPU goes, the clock is set, the disk is full, the daemon is killed at any
# moment.  Fails if that makes it move a guest, or lose one; if something is
# changed that could not be written down; or if not everything is back in the
# end.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs
. /usr/lib/box/pool.sh

state=/var/lib/xensched/state.json
journal=/var/log/xensched/journal.jsonl
stopped=

guest start paced name=disk &
guest start idle &
wait
affinities >before

# status KEY: a number of the daemon's.
status()
{
    xensched status --json | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"
}

everything_is_back()
{
    affinities >after
    check "$1: every affinity is as before" cmp before after
    check "$1: nothing is left to restore" test ! -e $state
}

start_daemon --mode act
check "the disk guest is moved" until_true 30 soft_is disk "$near"
check "and runs there" runs_near disk

# A name is a name.
xl rename disk renamed
check "renamed: it is known by its new name" \
    until_true 5 status_is renamed affinity '"ours"'
xl rename renamed disk
check "and by its old one again" until_true 5 status_is disk affinity '"ours"'

# The clock of the host is not the daemon's.
now=$(date +%s)
date -s "@$((now + 86400))" >/dev/null
sleep 4
date -s "@$((now - 86400))" >/dev/null
sleep 4
date -s "@$((now + 8))" >/dev/null
check "the clock was set forth and back: its affinity is what it was" \
    soft_is disk "$near"
check "and it runs there" runs_near disk
is "nothing was moved because of it" "$(status moves) $(status restores)" "1 0"
check "the log was not lost" sh -c "! grep -q log-lost $journal"

# A pCPU goes, at which guests are placed, and comes back.
xen-hptool cpu-offline 1 >/dev/null
sleep 3
check "without pCPU 1 it goes on" xensched status
check "the guest's affinity is still the daemon's" status_is disk affinity '"ours"'
check "and it runs near dom0" runs_near disk
xen-hptool cpu-online 1 >/dev/null
sleep 3
check "with pCPU 1 it goes on" xensched status
check "the guest has the affinity that it had" soft_is disk "$near"
is "it was not moved" "$(status moves) $(status restores)" "1 0"

# Who is booted anew is the same one.
uuid=$(cat /proc/sys/kernel/random/uuid)
guest start idle name=again "xl=uuid = '$uuid'"
check "a guest starts" until_true 5 status_is again uuid "\"$uuid\""
first="$(status_of again acct) $(status_of again domid)"
guest stop again
guest start idle name=again "xl=uuid = '$uuid'"
check "it is booted anew" until_true 5 status_is again uuid "\"$uuid\""
second="$(status_of again acct) $(status_of again domid)"
is "it keeps its number" "${second% *}" "${first% *}"
check "with another domid" test "${second#* }" != "${first#* }"
guest stop again

# Another cpupool: Xen takes the affinity away, which is no reason to fight.
xl cpupool-cpu-remove Pool-0 6
xl cpupool-cpu-remove Pool-0 7
xl cpupool-create 'name="other"' 'sched="credit2"' 'cpus=["6","7"]' >/dev/null
to_pool disk other
check "another cpupool: that was an operator, says the journal" \
    until_true 10 journal_has operator disk
sleep 3
check "it is not moved across cpupools" soft_is disk all
to_pool disk Pool-0
xl cpupool-destroy other
xl cpupool-cpu-add Pool-0 6
xl cpupool-cpu-add Pool-0 7
sleep 2
check "back again, it stays the operator's" soft_is disk all
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
[ "$TAP_FAILED" = 0 ] || sed 's/^/# /' $journal # before it is removed
everything_is_back "after all that"

# Two guests go when they are just being moved.
start_daemon --mode act --settle 0 --confirm 1
for name in one two; do
    guest start paced name=$name
    until grep -qs "\"name\":\"$name\"" $state; do
        usleep 20000
    done
    guest stop $name
    check "$name: destroyed when it is moved, it is forgotten" \
        until_true 10 sh -c "! grep -qs '\"name\":\"$name\"' $state"
done
check "the disk guest is moved as if nothing had been" \
    until_true 30 soft_is disk "$near"
stop_daemon TERM
is "it ends cleanly after that" "$stopped" 0
everything_is_back "after these guests"

# Killed when it just happens to be, and, at last, when it has moved the guest.
for wait in 300000 900000 1500000 2100000 2700000 4000000; do
    begin_daemon --mode act --settle 0 --confirm 1 --period 200
    usleep $wait
    stop_daemon KILL
done
rm $journal # what the killed ones say of their moves
start_daemon --mode act --settle 0 --confirm 1 --period 200
check "killed at six moments, the next one moves the guest" \
    until_true 30 journal_has move disk
stop_daemon KILL
check "killed, it leaves it there" soft_is disk "$near"
start_daemon --mode advise
is "the next one starts" "$?" 0
affinities >after
check "and everything is as before" cmp before after
stop_daemon TERM
everything_is_back "after being killed"

# A full disk.
for folder in /var/lib/xensched /var/log/xensched; do
    rm -rf $folder
    mkdir -p $folder
    mount -t tmpfs -o size=16k tmpfs $folder
    dd if=/dev/zero of=$folder/filler bs=4k 2>/dev/null
done
start_daemon --mode act --settle 0 --confirm 1
is "with a full disk it starts" "$?" 0
sleep 10
check "nothing is moved that cannot be written down" soft_is disk all
is "that is said once" \
    "$(said_times 'nothing is moved until it can be written')" 1
rm /var/lib/xensched/filler /var/log/xensched/filler
check "when there is room it is moved" until_true 30 soft_is disk "$near"
check "and the journal has it" until_true 5 journal_has move disk
is "each line of the journal is whole" "$(grep -vc '^{.*}$' $journal)" 0
stop_daemon TERM
is "it ends cleanly on a disk that was full" "$stopped" 0
everything_is_back "after a full disk"
umount /var/lib/xensched /var/log/xensched
finish
