#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares two sources of a guest's disk requests: Linux's statistics, and the patched
# xen-blkback.  Reports the cost in instructions of the whole host per operation of a guest
# whose disk dom0 serves, and the pages that the daemon has counted after each run, so that
# you can see whether both sources agree.
#
# Boots one host in exact mode with one pCPU (see host.sh), and replaces Linux's
# xen-blkback by the patched one halfway through.
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
