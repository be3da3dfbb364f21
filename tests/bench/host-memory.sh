#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How many rows there are per interval of 20 ms, on average and at most, when
# everything is logged, and how large log files have to be for that (5.3.1 of
# the thesis): under Postmark and fio, by xensched advise-size in dom0.
#
# In exact mode with one pCPU, so the rates are those of a CPU which executes an
# instruction per nanosecond: the same on every machine, and about a third or a
# half of what a machine of today does.
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
