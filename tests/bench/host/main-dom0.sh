#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the part of host.sh in dom0, once on each hypervisor: starts the guests, and
# carries out the file "plan" beside it.

set -e
. ./dom0.sh
# shellcheck source=tests/bench/host/plan-dom0.sh
. ./plan-dom0.sh

serve="serve-disks"
if grep -q '^configuration.patched' plan; then
    our_drivers
    serve="serve-disks $modules"
fi
for backend in $(sed -n 's/^workload\.\([a-z0-9]*\)_.*/\1/p' plan | uniq); do
    case $backend in
    dom0)
        guest start bench name=bench-dom0 ;;
    *)
        guest start "$backend" memory=352 prepare="$serve"
        guest start bench name="bench-$backend" backend="$backend" ;;
    esac
done
do_plan plan
