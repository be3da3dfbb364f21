#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures what the place of a guest is worth where distance takes time: guests that read
# a disk that dom0's pCPU 0 serves run on that pCPU, with the same last-level cache, on
# another one of the socket, and on the other socket.
#
# Runs in mode timed (docs/develop/machine-model.md; needs 'make machine').  All reads are
# a closed loop, timed by the guests' own clocks.  A seed draws the blocks, the phase of
# each guest and the order of the places; all places of a seed and size run in one boot.
#
#   MACHINES="NAME ..."   machines to simulate (xeon2 epyc2)
#   SEEDS="N ..."         seeds (1 2 3)
#   SIZES="BYTES ..."     of a read (4096 65536)
#   CELLS=PATTERN         only lines of near.py's plan that match (all)
#   MS=N                  ms of guests' time that a cell counts (20)
#   NEAR_ROOM=FOLDER      results of boots; complete ones are not run again
#                         (build/bench/near)
#
# Writes build/bench/near.json and near.txt (near.py).

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

room=${NEAR_ROOM:-$out/near}

# measure MACHINE SEED BYTES: its cells in $room/MACHINE-SEED-BYTES
measure()
{
    mkdir -p "$room"
    "$here/host/near.py" plan "$1" "$2" "$3" | grep -E "${CELLS:-.}" >"$results/near-plan"
    echo "${MS:-20}" >"$results/near-ms"
    bench_boot --machine "$1" --sockets 2 --cores 8 --numa --mode timed --seed "$2" \
        --xen-append "dom0_nodes=0 dma_bits=24" \
        "$here/host/near-dom0.sh" "$results"/near-{plan,ms}
    mv "$results/cells" "$room/$1-$2-$3"
}

read -ra machines <<<"${MACHINES:-xeon2 epyc2}"
read -ra seeds <<<"${SEEDS:-1 2 3}"
read -ra sizes <<<"${SIZES:-4096 65536}"
for seed in "${seeds[@]}"; do
    for size in "${sizes[@]}"; do
        for machine in "${machines[@]}"; do
            [[ -f $room/$machine-$seed-$size ]] || measure "$machine" "$seed" "$size"
        done
    done
done
"$here/host/near.py" report "$room" "$out/near.json" | tee "$out/near.txt"
