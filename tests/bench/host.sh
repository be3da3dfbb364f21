#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the cost of logging for a whole host: Postmark and fio in a guest with a disk
# of dom0 or of a driver domain.  Configurations: unpatched Xen; the patched Xen without
# events, and with more and more events; Xen's own xentrace.  This is figure 5.7 of the
# thesis, in instructions.
#
# The measure: the host has one pCPU and is in exact mode (tests/host), where
# one instruction takes one tick of the TSC, in all programs: the guest, the
# back end, Xen, the daemon, xentrace.  So the TSC before and after a workload gives the
# instructions that the whole host executed for it, less the time in which the pCPU was
# idle (which Xen accounts, and which is 0: with a RAM disk no guest waits).  There is no
# other pCPU.  tests/host/README.md has the limits.
#
# The experiment is host/host.plan with host/native.plan or host/patched.plan.  Each of
# ROUNDS repetitions (3) runs all workloads in all configurations of a hypervisor, in
# random order.  A figure is the mean of the repetitions, because some work, such as a
# plan of the daemon, happens once per second and falls into some of the runs.  "spread"
# is the largest less the smallest, as a part of the mean.  Boots differ too: with BOOTS=5
# each hypervisor boots five times, and figures are medians with their intervals.
#
# Environment: BOOTS (1), ROUNDS and BACKENDS ("dom0", "driver" or both).
#
# Writes build/bench/host.json, and ratios as host.svg and host.png.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
out=$top/build/bench
boots=${BOOTS:-1}
work=$(mktemp -d)

end()
{
    local job

    for job in $(jobs -p); do
        kill -TERM "$job" 2>/dev/null || true
    done
    wait
    rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# plan HYPERVISOR: writes the plan for main-dom0.sh
plan()
{
    local backends=${BACKENDS:-dom0 driver}

    mkdir -p "$work/$1"
    sed -E -e "s/^repetitions = .*/repetitions = ${ROUNDS:-3}/" \
        -e "/^workload/{/^workload\\.(${backends// /|})_/!d}" \
        "$here/host/host.plan" "$here/host/$1.plan" >"$work/$1/plan"
}

# measure HYPERVISOR BOOT: one boot.  The box has to be the child that a signal ends.
measure()
{
    exec "$top/tests/host/box" --mode exact --sockets 1 --cores 1 --xen "$1" \
        --tools --dom0-memory 640 --timeout 5400 --results "$out/host-$1/$2" \
        "$here"/host/{{main,plan,daemon}-dom0,dom0}.sh "$here"/host/{workload,bench.guest} \
        "$work/$1/plan" &> >(sed -u "s/^/bench: $1, boot $2: /" >&2)
}

mkdir -p "$out"
echo "bench: $boots times two hosts boot in exact mode; each time takes 15 to" \
    "25 minutes" >&2
rm -rf "$out"/host-{native,patched}
running=0
for hypervisor in patched native; do    # The patched one has more to do.
    plan "$hypervisor"
    for boot in $(seq "$boots"); do
        [[ $running -lt $(nproc) ]] || { wait -n; running=$((running - 1)); }
        measure "$hypervisor" "$boot" &
        running=$((running + 1))
    done
done
while [[ $running -gt 0 ]]; do
    wait -n
    running=$((running - 1))
done
"$here/host/report.py" "$out"
