#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Eight guests whose load changes, under four placements: Xen's scheduler alone
# (credit2), the best pinning by hand for all of it, pinned at random, and placed
# by xenschedd with each of its levers.  The same work is done under each: reads from a disk of dom0's,
# from one of a driver domain's, notifications between guests, computing.
#
# In exact mode, on 2 sockets x 4 cores; dom0 and the driver domain have one vCPU
# each, held on socket 0 and on socket 1.  Counted are the instructions of the
# whole host from the beginning of each phase until the last guest has done its
# part, and notifications that cross sockets.  Nobody pauses, so there is always
# somebody who has something to do and the TSC is the number of instructions.
#
# AMOUNT (requests per guest and phase) and SEED can be set from outside.
#
# Writes build/bench/phases.json.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

"$here/host/phases.py" plan "${AMOUNT:-8000}" "${SEED:-1}" >"$results/plan"
bench_boot --timeout 3600 --sockets 2 --cores 4 --dom0-vcpus 1 --dom0-memory 768 \
    --memory 2560 "$here"/host/{phases,daemon}-dom0.sh "$results/plan"
for rows in "$results"/*.rows; do
    bench_dump "$rows"
done
"$here/host/phases.py" report "$results" "$out/phases.json" |
    tee "$out/phases.txt"
