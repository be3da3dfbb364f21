#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the cells of the file near-plan in dom0; host-near.sh explains the experiment.
#
# A line of the plan: SEED PLACE DEPTH BYTES PCPU...: one guest on each pCPU.  Writes
# $RESULTS/cells, a line for each guest of a cell: SEED PLACE GUESTS DEPTH BYTES MS REQUESTS
# MEAN MEDIAN P99.

set -e
# shellcheck source=tests/host/dom0/usr/lib/box/timed.sh
. /usr/lib/box/timed.sh

ms=$(cat near-ms)

# read_at START GUEST SEED DEPTH BYTES
read_at()
{
    errand run "$(cat "/tmp/domid-$2")" "timed-reads /dev/xvda $5 $4 $3$2 $1 $ms" \
        >"/tmp/times-$2"
}

# cell SEED PLACE DEPTH BYTES PCPU...
cell()
{
    local seed="$1" place="$2" depth="$3" bytes="$4"
    local guest=0 readers='' start reader pcpu code numbers

    shift 4
    for pcpu; do
        xl vcpu-pin "near$guest" 0 "$pcpu" all
        guest=$((guest + 1))
    done
    region 63
    start=$(($(date +%s) + 2))
    while [ $guest -gt 0 ]; do
        guest=$((guest - 1))
        read_at $start $guest "$seed" "$depth" "$bytes" &
        readers="$readers $!"
    done
    for reader in $readers; do
        wait "$reader"
    done
    region 0
    for pcpu; do
        read -r _ _ code numbers <"/tmp/times-$guest"
        [ "$code" = 0 ]
        echo "$seed $place $# $depth $bytes $ms $numbers" >>/tmp/cells
        guest=$((guest + 1))
    done
}

guests=$(awk 'NF - 4 > most { most = NF - 4 } END { print most }' near-plan)
for guest in $(seq 0 $((guests - 1))); do
    start_reader "near$guest" 1
    xl domid "near$guest" >"/tmp/domid-$guest"
done
dom0_on_pcpu_0
while read -r line; do
    # shellcheck disable=SC2086 # its words
    cell $line </dev/null
    tail -n 1 /tmp/cells
done <near-plan
cp /tmp/cells "$RESULTS/cells"
