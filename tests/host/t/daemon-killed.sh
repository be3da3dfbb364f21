#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 8
# box: --sockets 2 --cores 4
# time: 400
#
# A guest is destroyed while xenschedd moves it; the daemon is killed at any moment; the disk is
# full.  Fails if the daemon changes an affinity that it cannot save on the disk, or if not every
# affinity is restored in the end.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs

state=/var/lib/xensched/state.json
journal=/var/log/xensched/journal.jsonl
stopped=

guest start paced name=disk &
guest start idle &
wait
affinities >before

# Two guests end while they are being moved.
start_daemon --mode act --settle 0 --confirm 1
for name in one two; do
    guest start paced name=$name
    until grep -qs "\"name\":\"$name\"" $state; do
        usleep 20000
    done
    guest stop $name
    check "$name: a guest that is destroyed during its move is forgotten" \
        until_true 10 sh -c "! grep -qs '\"name\":\"$name\"' $state"
done
check "the disk guest is moved all the same" \
    until_true 30 soft_is disk "$near"
stop_daemon TERM
is "it ends cleanly after that" "$stopped" 0
everything_is_back "after these guests"

# Killed at random moments, and at last after it has moved the guest.
moments="300000 1500000 2700000"
! full || moments="$moments 900000 2100000 4000000"
for wait in $moments; do
    begin_daemon --mode act --settle 0 --confirm 1 --period 200
    usleep $wait
    stop_daemon KILL
done
rm $journal # the killed daemons' entries about their moves
start_daemon --mode act --settle 0 --confirm 1 --period 200
check "after many kills, the next daemon moves the guest" \
    until_true 30 journal_has move disk
stop_daemon KILL
check "when the daemon is killed, the affinity stays" soft_is disk "$near"
start_daemon --mode advise
is "the next daemon starts" "$?" 0
affinities >after
check "and every affinity is as before" cmp before after
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
is "the daemon starts with a full disk" "$?" 0
sleep 10
check "no guest is moved whose affinity cannot be saved" soft_is disk all
is "that is logged once" \
    "$(said_times 'nothing is moved until it can be written')" 1
rm /var/lib/xensched/filler /var/log/xensched/filler
check "when the disk has space the guest is moved" until_true 30 soft_is disk "$near"
check "and the journal has the move" until_true 5 journal_has move disk
is "each line of the journal is whole" "$(grep -vc '^{.*}$' $journal)" 0
stop_daemon TERM
is "it ends cleanly on a disk that was full" "$stopped" 0
everything_is_back "after a full disk"
umount /var/lib/xensched /var/log/xensched
finish
