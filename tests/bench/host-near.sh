#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the value of a guest's place if distance takes time: guests that read
# a disk that dom0's pCPU 0 serves run on that pCPU, with the same last-level cache, on
# another one of the socket, and on the other socket.
#
# Runs in mode timed (docs/develop/machine-model.md; needs 'make machine'), as a plan of
# "xensched runs".  Each repetition has every place once, in random order, with the same
# reads: its number draws their blocks, and in an open loop when they are due.  Reads are
# timed by the guests' own clocks.
#
#   MACHINES="NAME ..."   machines to simulate (xeon2 epyc2)
#   SEEDS="N ..."         seeds of boots (1)
#   SIZES="BYTES ..."     of a read (4096 65536)
#   REPETITIONS=N         of each boot, after one that does not count (10)
#   CELLS=PATTERN         only workloads of near.py's plan that match (all)
#   MS=N                  ms of guests' time that a run counts (20)
#   NEAR_ROOM=FOLDER      databases of boots; complete ones are not run again
#                         (build/bench/near)
#
# Writes build/bench/near.json and near.txt (near.py).

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

room=${NEAR_ROOM:-$out/near}

# measure MACHINE SEED BYTES: its database is $room/MACHINE-SEED-BYTES.sqlite
measure()
{
    mkdir -p "$room"
    "$here/host/near.py" plan "$1" "$3" "${REPETITIONS:-10}" "${CELLS:-.}" \
        >"$results/near-plan"
    echo "$2 ${MS:-20}" >"$results/near-settings"
    bench_boot --machine "$1" --sockets 2 --cores 4 --numa --memory 4096 \
        --mode timed --seed "$2" \
        --xen-append "dom0_nodes=0 dma_bits=24" \
        "$here"/host/{near,plan}-dom0.sh "$results"/near-{plan,settings}
    mv "$results/runs.sqlite" "$room/$1-$2-$3.sqlite"
}

read -ra machines <<<"${MACHINES:-xeon2 epyc2}"
read -ra seeds <<<"${SEEDS:-1}"
read -ra sizes <<<"${SIZES:-4096 65536}"
for seed in "${seeds[@]}"; do
    for size in "${sizes[@]}"; do
        for machine in "${machines[@]}"; do
            [[ -f $room/$machine-$seed-$size.sqlite ]] ||
                measure "$machine" "$seed" "$size"
        done
    done
done
"$here/host/near.py" report "$room" "$out/near.json" | tee "$out/near.txt"
