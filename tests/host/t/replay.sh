#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 8
# box: --sockets 2 --cores 4
# time: 360
# only: full
#
# A recording of a real host is enough to make plans later: the replay makes the move that the
# daemon would have made, for its reason, and changes no host.  A daemon whose logging costs more
# than its budget logs less, reports that, and still knows which guest belongs where.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs
stopped=
journal=/var/log/xensched/journal.jsonl

planned()
{
    xensched plan | grep -q "^disk .*proposed"
}

guest start paced name=disk &
guest start idle &
wait
original=$(soft disk)

# The daemon ran long enough to have a plan.
start_daemon --mode advise
check "the disk's guest is to be moved" until_true 60 planned
check "record keeps rows" xensched record --seconds 8 rows 2>said.txt
cat said.txt
check "and the names of their numbers" \
    sh -c '! grep "does not name" said.txt'
stop_daemon TERM
is "the daemon ends" "$stopped" 0

settings="--settle 2000 --least-gain 10 --misses 0"
# shellcheck disable=SC2086 # several words
check "replay works without a daemon" \
    sh -c "xensched replay rows -- $settings >replay.txt"
cat replay.txt
# Sockets are crossed; arm64 has one, and caches of clusters.
crossed=" cross"
! on_arm64 || crossed=
check "it moves the disk's guest next to dom0" \
    grep -q "move disk to pCPUs $near: .* with Domain-0$crossed" replay.txt
check "and leaves the idle guest alone" grep -q "^idle " replay.txt
check "a second replay gives the same" \
    sh -c "xensched replay rows -- $settings | cmp - replay.txt"
is "on the real host nothing was moved" "$(soft disk)" "$original"
size=$(wc -c <rows)
head -c $((size / 2)) rows >half
xensched replay half >half.txt 2>&1
is "a recording that was cut off is a failure" "$?" 1
check "the message names the offset of the cut" grep -q "is cut off at offset $((size / 2))" half.txt

# Logging always costs more than this budget, so thresholds are raised.
start_daemon --mode act --budget 0.01
check "with too small a budget thresholds are raised" until_true 30 \
    sh -c "xensched status --json | grep '\"raised\":[1-9]'"
check "the journal reports that" grep '"what":"budget".*"to":' $journal
check "the daemon still knows where the disk's guest belongs" \
    until_true 30 soft_is disk "$near"
check "and the guest runs there" runs_near disk
check "the daemon reports that the budget cannot be kept" until_true 60 \
    grep "no threshold is left" "${daemon_log:?}"
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
is "the guest's affinity is restored" "$(soft disk)" "$original"
finish
