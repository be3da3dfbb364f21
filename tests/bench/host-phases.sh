#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures what placement is worth where distance takes time: the pCPU time of the whole
# host for a read, the daemon's included, and how long a read takes: if the guests are left
# to credit2, if they stay on sockets that were drawn (without xenschedd, and with it in mode
# advise), and if xenschedd places them.
#
# Runs in mode timed (docs/develop/machine-model.md; needs 'make machine'), as a plan of
# "xensched runs": 2 sockets, of 4 cores in most cases, dom0 on socket 0, a driver domain on
# socket 1, and eight guests with a disk of each.  The guests read 4 KiB, or compute, at given
# times, an open loop.  A repetition draws these times and the blocks; it has each configuration
# once, in random order.
#
#   MACHINE=NAME          machine to simulate (xeon2)
#   CASES="NAME ..."      of phases.py (all)
#   SEEDS="N ..."         seeds of boots (1)
#   REPETITIONS=N         of each boot (20)
#   PHASES_ROOM=FOLDER    databases of boots; complete ones are not run again
#                         (build/bench/phases)
#
# Writes build/bench/phases.json and phases.txt (phases.py).

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

room=${PHASES_ROOM:-$out/phases}
machine=${MACHINE:-xeon2}

# measure CASE SEED: its database is $room/MACHINE-CASE-SEED.sqlite
measure()
{
    local name=$room/$machine-$1-$2

    mkdir -p "$room"
    "$here/host/phases.py" plan "$1" "${REPETITIONS:-20}" >"$results/phases-plan"
    echo "$2" >"$results/phases-seed"
    bench_boot --timeout 20000 --machine "$machine" --sockets 2 \
        --cores "$("$here/host/phases.py" cores "$1")" --numa \
        --dom0-memory 640 --memory 3072 --mode timed --seed "$2" \
        --xen-append "dom0_nodes=0 dma_bits=24 bootscrub=0" \
        "$here"/host/{phases,plan,daemon}-dom0.sh "$results"/phases-{plan,seed}
    mv "$results/runs.sqlite" "$name.sqlite"
}

read -ra cases <<<"${CASES:-$("$here/host/phases.py" cases)}"
read -ra seeds <<<"${SEEDS:-1}"
for seed in "${seeds[@]}"; do
    for name in "${cases[@]}"; do
        [[ -f $room/$machine-$name-$seed.sqlite ]] || measure "$name" "$seed"
    done
done
"$here/host/phases.py" report "$room" "$out/phases.json" | tee "$out/phases.txt"
