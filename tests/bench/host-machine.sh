#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the cost of a guest's place, and of the log, in cache lines.  A disk guest runs
# on dom0's pCPU, with the same last-level cache, on another cache of the socket, and on
# the other socket.  The log's cost is that of the two pCPUs and of the daemon's, with and
# without a log.  Uses xeon2 of tests/machine/machines, or MACHINES="NAME ...", all with
# two sockets.
#
# In exact mode.  A request is a 4 KiB direct read from a RAM disk that dom0
# serves, one at a time.  docs/develop/machine-model.md has the model's limits.
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
