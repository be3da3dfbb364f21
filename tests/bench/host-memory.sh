#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the mean and largest number of rows per interval of 20 ms if all events are
# logged, and the size of log buffers for them (5.3.1 of the thesis): under Postmark and
# fio, with xensched advise-size in dom0.
#
# Runs in exact mode with one pCPU, so the rates are those of a CPU that executes an
# instruction per nanosecond.  They are the same on every machine, and about a third to
# half of a current machine's.
#
# Writes build/bench/memory.json: a list of {"workload", "event", "mean",
# "most", "row_bytes", "sizes": {"20": BYTES, "100": BYTES}, ...}.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

workloads=(postmark fio-rand4k-qd1 fio-rand4k-qd32 fio-seq64k-qd1
           fio-seq64k-qd32)
printf 'memory %s\n' "${workloads[@]}" >"$results/plan"
bench_boot --tools --cores 1 --dom0-memory 640 "$here/host/rows-dom0.sh" \
    "$results/plan" "${bench_guest[@]}"
"$here/host/memory.py" "$results" "$out/memory.json" "${workloads[@]}" |
    tee "$out/memory.txt"
