#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the cost of finding the process of a guest that requests I/O (preliminary logs
# in docs/internals/linux-log.md).  A guest with a disk of dom0 reads 4 KiB blocks, while
# it logs nothing, a row for each request, or the names of its threads, and while an agent
# turns both into rows for a daemon.  Counts instructions of the whole host per request,
# all in turn on one host.
#
# In exact mode with one pCPU, see host.sh.
#
# ROUNDS (6) can be set from outside.  Writes build/bench/processes.sqlite, for
# "xensched runs", and its report processes.txt.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

# runs COMMAND...: runs "xensched runs" on the results
runs()
{
    LD_LIBRARY_PATH=$BOX_DIST/usr/lib "$BOX_TOOLS/xensched" runs \
        --database "$out/processes.sqlite" "$@"
}

sed "s/^repetitions = .*/repetitions = ${ROUNDS:-6}/" "$here/host/processes.plan" \
    >"$results/plan"
bench_boot --tools --sockets 1 --cores 1 --dom0-memory 768 --timeout 5400 \
    "$here"/host/{processes,plan}-dom0.sh "$results/plan" "${bench_guest[@]}"
cp "$results/runs.sqlite" "$out/processes.sqlite"
# Leaves out the time of commands in dom0, and that dom0 and the guest share a pCPU.
{
    runs stat
    for what in request name process_io; do
        runs compare off $what
    done
} | grep -v -e 'wall time' -e '(steal)' | tee "$out/processes.txt"
