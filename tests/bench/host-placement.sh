#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the cost of a guest's place relative to its back end: instructions and
# notifications to other pCPUs and sockets per request.  Both are held on the same pCPU,
# the same socket or different sockets, without affinities, with each lever (levers.sh)
# set by hand, and placed by the daemon.
#
# In exact mode, on 2 sockets x 2 cores; a request is a 4 KiB direct read from a
# RAM disk that dom0 serves, one at a time.  Instructions are those of the whole
# host.  Only in the last case the daemon logs and does its usual work.  Instructions show
# neither caches nor the latency of an IPI.
#
# Writes build/bench/placement.json: a list of {"place",
# "instructions_per_request", "notifications_per_request",
# "cross_pcpu_per_request", "cross_socket_per_request", ...}.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

bench_boot --sockets 2 --cores 2 --numa --dom0-vcpus 1 \
    "$here"/host/{placement,plan,daemon}-dom0.sh "$here"/host/{levers.sh,placement.plan}
"$here/host/placement.py" "$results/runs.sqlite" "$out/placement.json" |
    tee "$out/placement.txt"
