#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 8
# box: --sockets 2 --cores 4
# time: 400
# only: full
#
# Changes of a host while xenschedd places its guests: a guest is renamed, rebooted, or moved to
# another cpupool; a pCPU goes offline; the clock is set.  Fails if that makes the daemon move or
# lose a guest, or if not every affinity is restored in the end.  (daemon-killed.sh tests the
# daemon's own death.)

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs
. /usr/lib/box/pool.sh
. /usr/lib/box/pcpu.sh

journal=/var/log/xensched/journal.jsonl
stopped=

guest start paced name=disk &
guest start idle &
wait
affinities >before

# status KEY: prints a number of the daemon's status.
status()
{
    xensched status --json | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"
}

# known_as NAME UUID: whether the daemon knows the guest that runs now.
known_as()
{
    status_is "$1" uuid "\"$2\"" && status_is "$1" domid "$(domid "$1")"
}

start_daemon --mode act
check "the disk guest is moved" until_true 30 soft_is disk "$near"
check "and runs there" runs_near disk

# The name of a guest changes.
xl rename disk renamed
check "a renamed guest is known by its new name" \
    until_true 5 status_is renamed affinity '"ours"'
xl rename renamed disk
check "and by its old one again" until_true 5 status_is disk affinity '"ours"'

# The daemon does not use the host's wall clock.
now=$(date +%s)
date -s "@$((now + 86400))" >/dev/null
sleep 4
date -s "@$((now - 86400))" >/dev/null
sleep 4
date -s "@$((now + 8))" >/dev/null
check "after the clock was set forward and back the affinity is unchanged" \
    soft_is disk "$near"
check "and the guest runs there" runs_near disk
is "nothing was moved because of it" "$(status moves) $(status restores)" "1 0"
check "the log was not lost" sh -c "! grep -q log-lost $journal"

# A pCPU at the guests' target goes offline, and comes back.
pcpu_off 1
sleep 3
check "without pCPU 1 the daemon continues" xensched status
check "the guest's affinity is still the daemon's" status_is disk affinity '"ours"'
check "and the guest runs near dom0" runs_near disk
pcpu_on 1
sleep 3
check "with pCPU 1 the daemon continues" xensched status
check "the guest's affinity is unchanged" soft_is disk "$near"
is "it was not moved" "$(status moves) $(status restores)" "1 0"

# A guest that reboots is the same guest.
uuid=$(cat /proc/sys/kernel/random/uuid)
guest start idle name=again "xl=uuid = '$uuid'"
check "a guest starts" until_true 5 known_as again "$uuid"
first="$(status_of again acct) $(status_of again domid)"
guest stop again
guest start idle name=again "xl=uuid = '$uuid'"
check "it is rebooted" until_true 5 known_as again "$uuid"
second="$(status_of again acct) $(status_of again domid)"
is "it keeps its accounting domain" "${second% *}" "${first% *}"
check "with another domid" test "${second#* }" != "${first#* }"
guest stop again

# In another cpupool Xen resets the affinity.  The daemon sets it again when the guest is back.
xl cpupool-cpu-remove Pool-0 6
xl cpupool-cpu-remove Pool-0 7
xl cpupool-create 'name="other"' 'sched="credit2"' 'cpus=["6","7"]' >/dev/null
to_pool disk other
check "the journal has the reset in another cpupool" until_true 10 journal_has reset disk
sleep 3
check "it is not moved across cpupools" soft_is disk all
to_pool disk Pool-0
xl cpupool-destroy other
xl cpupool-cpu-add Pool-0 6
xl cpupool-cpu-add Pool-0 7
check "back in its pool, it is moved again" until_true 30 soft_is disk "$near"
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
[ "$TAP_FAILED" = 0 ] || sed 's/^/# /' $journal # before it is removed
everything_is_back "after all that"
finish
