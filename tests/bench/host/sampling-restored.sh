#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs each interval alone on the model, in dom0 of host-sampling.sh's third host.  It
# starts some checkpoints ("warm") before the interval, so that the caches are warm, and
# ends when the work of the next checkpoint is reached.  Writes
#
#   $RESULTS/machine.jsonl  a region for each unit of work
#   $RESULTS/order          lines: SAMPLE WARM UNITS REGION ENTRY; the units of warming
#                           and of the interval, and where they begin in machine.jsonl

set -e
# shellcheck source=tests/host/dom0/usr/lib/box/ram-disk.sh
. /usr/lib/box/ram-disk.sh
counted=$RESULTS/machine.jsonl
before=$(cat warm)

# begun N: prints the units begun at checkpoint N, or nothing
begun()
{
    sed -n "${1}s/ .*//p" taken.large/counts
}

# measure N
measure()
{
    local from=$(($1 > before ? $1 - before : 1)) warm units

    warm=$(($(begun "$1") - $(begun $from)))
    units=$(($(begun $(($1 + 1))) - $(begun "$1")))
    # xl cannot read a guest's pages from there.
    cp "taken.large/samples/$(printf %04d $from).save" /run/save
    xl restore -p /run/save >/run/restored 2>&1
    echo "$1 $warm $units $(run-units "$(xl domid sampled)" $((warm + units)) \
        "$counted")" | tee -a "$RESULTS/order"
    xl destroy sampled
}

xl vcpu-pin Domain-0 0 0 all
disk=$(take_ram_disk /run/guests/.disks 16)
dd if=/dev/zero of="$disk" bs=1M count=16 2>/dev/null
n=1
while [ -n "$(begun $((n + 1)))" ]; do
    measure $n
    n=$((n + 1))
done
