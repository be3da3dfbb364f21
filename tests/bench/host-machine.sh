#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What it costs where a guest runs, and what the log costs, in cache lines: a
# disk guest on dom0's pCPU, with the same last-level cache, on another one of
# the socket, on the other socket; its two pCPUs and the daemon's with and without
# a log that is written and read.  On xeon2 of tests/machine/machines, or
# MACHINES="NAME ...", those of two sockets.
#
# In exact mode.  A request is a 4 KiB direct read from a RAM disk that dom0
# serves, one at a time.  What the model cannot show: docs/develop/machine-model.md.
#
# Writes build/bench/machine.json: by machine, places, log and xentrace, with the
# counts of each round, and the times modelled from them.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

# Cores of each socket: those of two last-level caches, if that is not too many.
cores_of()
{
    awk '$1 == "cores_per_llc" { print ($2 > 2 ? 2 : 4) }' \
        "$top/tests/machine/machines/$1"
}

# measure MACHINE: in a folder of its name
measure()
(
    results=$results/$1
    mkdir "$results"
    bench_boot --machine "$1" --sockets 2 --cores "$(cores_of "$1")" --numa \
        --dom0-vcpus 2 --xen-append "dom0_nodes=0 dma_bits=24" \
        "$here"/host/{machine,daemon}-dom0.sh
    bench_dump "$results/log.rows"
)

read -ra machines <<<"${MACHINES:-xeon2 epyc2}"
for machine in "${machines[@]}"; do
    measure "$machine"
done
"$here/host/machine.py" "$results" "$out/machine.json" "$BOX_DIST" "${machines[@]}" |
    tee "$out/machine.txt"
