#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What it costs xenschedd to know the requests of each guest to dom0's disks, by each of the ways there
# are: Linux's statistics, or the patched xen-blkback.  Do both tell the same?  In
# instructions of the whole host per operation of a guest whose
# disk dom0 serves, and pages that the daemon knows of after each run.
#
# In exact mode with one pCPU, see host.sh; all in one boot, in which our xen-blkback takes
# the place of Linux's in the middle.
#
# ROUNDS (4) can be set from outside.  Writes build/bench/disks.json.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

for plan in stock patched; do
    sed "s/^repetitions = .*/repetitions = ${ROUNDS:-4}/" "$here/host/disks-$plan.plan" \
        >"$results/disks-$plan.plan"
done
bench_boot --tools --sockets 1 --cores 1 --dom0-memory 768 --timeout 5400 \
    "$here"/host/{disks,plan}-dom0.sh "$results"/disks-{stock,patched}.plan \
    "${bench_guest[@]}"
"$here/host/disks.py" "$results" "$out/disks.json"
