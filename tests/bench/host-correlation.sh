#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Correlates notifications with the use of a ring (5.3.3 and figure 5.8 of the thesis):
# both per interval of 20 ms, under Postmark and under a load with changing kind, depth
# and pace.  Logs every third request, then every one.  Reports Pearson's r and plots.
#
# In exact mode with one pCPU: an interval is 20 million instructions.
#
# Writes build/bench/correlation.json: a list of {"load", "threshold",
# "intervals", "r_requests", "r_pages", ...}, and for each load
# correlation-LOAD.svg and .png.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

loads=(postmark changing)
thresholds=(3 1)
for load in "${loads[@]}"; do
    printf "correlation $load %s\n" "${thresholds[@]}"
done >"$results/plan"
bench_boot --tools --cores 1 --dom0-memory 640 "$here/host/rows-dom0.sh" \
    "$results/plan" "${bench_guest[@]}"
for rows in "$results"/*.rows; do
    bench_dump "$rows"
done
"$here/host/correlation.py" "$results" "$out/correlation.json" "${loads[@]}" |
    tee "$out/correlation.txt"
cp "$results"/*.dat "$out"
for load in "${loads[@]}"; do
    (cd "$out" && gnuplot -e "load='$load'" "$here/host/correlation.gnuplot")
    # gnuplot ends lines with blanks, which a repository would not accept.
    sed -i 's/[[:blank:]]*$//' "$out/correlation-$load.svg"
done
