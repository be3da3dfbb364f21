#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the cost of a full recording: nothing; each event of Xen and of dom0's block
# rings; these and the threads of dom0 and of the guest; xentrace; trace-cmd.  All run in
# turn on one host, for the same work of a guest that uses dom0's disk.  Counts
# instructions of the whole host, bytes written, and instructions of the writing programs.
#
# In exact mode with one pCPU, see host.sh.  trace-cmd (Debian's package) records
# only dom0; if it is missing, the table has no line for it.
#
# ROUNDS (2) can be set from outside.  Writes build/bench/recording.json.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

without=^configuration.trace_cmd
files=()
if trace=$(command -v trace-cmd); then
    without=^$
    mapfile -t files < <(echo "$trace"; ldd "$trace" |
        sed -n 's/.* => \(\/.*libtrace[^ ]*\) .*/\1/p')
fi
sed -e "s/^repetitions = .*/repetitions = ${ROUNDS:-2}/" -e "/$without/d" \
    "$here/host/recording.plan" >"$results/plan"
bench_boot --tools --sockets 1 --cores 1 --dom0-memory 768 --timeout 5400 \
    "$here"/host/{recording,plan}-dom0.sh "$results/plan" "${bench_guest[@]}" "${files[@]}"
"$here/host/recording.py" "$results" "$out/recording.json" "$BOX_DIST"
