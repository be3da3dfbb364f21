#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What it costs to know which process of a guest asks for I/O (docs/internals/linux-log.md,
# preliminary logs): 4 KiB reads of a guest whose disk dom0 serves, while the guest logs
# nothing, a row for each request, or what its threads are called; and while an agent
# makes of both what a daemon reads.  In instructions of the whole host per request, all
# in turn on one host.
#
# In exact mode with one pCPU, see host.sh.
#
# ROUNDS (6) can be set from outside.  Writes build/bench/processes.sqlite, for
# "xensched runs", and what that says of it, processes.txt.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

# runs COMMAND...: about what came of it
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
# Not how long a command in dom0 took, nor that dom0 and the guest share a pCPU.
{
    runs stat
    for what in request name process_io; do
        runs compare off $what
    done
} | grep -v -e 'wall time' -e '(steal)' | tee "$out/processes.txt"
