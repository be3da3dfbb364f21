#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks whether a few samples of a guest's run predict the whole run on the machine model
# (docs/measure/sampling.md).
#
#   taken     The work is done in fast mode and without the model, and sampled.
#   whole     All of the same work is done on the model, as the reference.
#   restored  Each interval is restored on the model, and run to its end.
#
# Then the script draws samples and estimates a hundred times, with "xensched sample
# choose" and "estimate", like an operator.
#
# Environment: WORKLOADS ("phases postmark"); MACHINE (xeon2).  Complete results in
# build/bench/sampling/ are not measured again.  That folder grows to 15 GB.
#
# Writes build/bench/sampling.json.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

machine=${MACHINE:-xeon2}
read -ra workloads <<<"${WORKLOADS:-phases postmark}"
declare -A every=([phases]=100 [postmark]=70) # ms of service
# Intervals that warm the caches for one: without them, the lines that a last-level cache
# keeps for long are missing.
declare -A warm=([phases]=8 [postmark]=16)
host=(--timeout 7200 --sockets 2 --cores 2 --numa --dom0-vcpus 1 --tools
      --dom0-memory 1024 --memory 3072
      --xen-append "dom0_nodes=0 dma_bits=24 bootscrub=0")

# measure WHAT WORKLOAD [OPTION...]: runs sampling-WHAT.sh in a host, unless it is complete
measure()
(
    work=$out/sampling/$machine/$2
    results=$work/$1
    what=$1
    [[ ! -f $results/complete ]] || exit 0
    rm -rf "$results"
    mkdir -p "$results"
    echo "$2" >"$work/work"
    echo "${every[$2]}" >"$work/every"
    echo "${warm[$2]}" >"$work/warm"
    shift 2
    files=("$work"/{work,every,warm})
    # (What is named so stays in the share: it would not fit into dom0.)
    if [[ $what = restored ]]; then
        ln -sfn taken "$work/taken.large"
        files+=("$work/taken.large")
    fi
    bench_boot "${host[@]}" "$@" "$here/host/sampling-$what.sh" "${files[@]}" \
        "$here"/host/{sampling-lib.sh,daemon-dom0.sh,sampled.guest,sampled-work}
    touch "$results/complete"
)

for workload in "${workloads[@]}"; do
    measure taken "$workload" --mode fast
    measure whole "$workload" --machine "$machine"
    measure restored "$workload" --machine "$machine"
done
LD_LIBRARY_PATH=$BOX_DIST/usr/lib XENSCHED=$BOX_TOOLS/xensched \
    "$here/host/sampling.py" "$out/sampling/$machine" "$out/sampling.json" \
    "${workloads[@]}" | tee "$out/sampling.txt"
