#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the gain of placement.  Eight guests with changing load do the same work under
# each of several placements (host/phases.plan), on the machine model.  Compares the
# modelled pCPU time of the whole host for this work, including the daemon's own.
#
# In exact mode, on 2 sockets x 4 cores with NUMA; dom0 and the driver domain have one
# vCPU each, held on socket 0 and on socket 1.  No vCPU pauses, so the TSC is the number
# of instructions of the whole host.  The model is on for a part of the time only,
# evenly spread (programs/load/samples.c): the time of a phase is the number of all its
# instructions, times the mean time of a sampled one.
#
# Environment: LENGTHS, the length of a phase in seconds of this host ("1 3 10"); SEEDS
# ("1 2 3 4 5"), each with other phases and random placements; PHASES of each seed (4);
# MACHINE (xeon2).  A run takes hours and can be interrupted: results in
# build/bench/phases/ are not measured again.  "REPORT=only" reports these.
#
# Writes build/bench/phases.json.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

machine=${MACHINE:-xeon2}
read -ra lengths <<<"${LENGTHS:-1 3 10}"
read -ra seeds <<<"${SEEDS:-1 2 3 4 5}"
runs=$out/phases/$machine

# measure LENGTH SEED
measure()
(
    folder=$runs/$1-$2
    [[ ! -f $folder/complete ]] || return 0
    results=$folder
    rm -rf "$folder"
    mkdir -p "$folder"
    cat "$here/host/phases.plan" >"$folder/plan"
    "$here/host/phases.py" plan "$1" "$2" "${PHASES:-4}" >>"$folder/plan"
    bench_boot --timeout $((3600 + 3600 * $1)) --machine "$machine" --sockets 2 \
        --cores 4 --numa --dom0-vcpus 1 --dom0-memory 640 --memory 3072 \
        --xen-append "dom0_nodes=0 dma_bits=24 bootscrub=0" \
        "$here"/host/{phases,plan,daemon}-dom0.sh "$folder/plan"
    touch "$folder/complete"
)

if [[ ${REPORT:-} != only ]]; then
    for seed in "${seeds[@]}"; do
        for length in "${lengths[@]}"; do
            measure "$length" "$seed"
        done
    done
fi
"$here/host/phases.py" report "$runs" "$out/phases.json" | tee "$out/phases.txt"
