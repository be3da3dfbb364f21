#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the Linux modules for the kernel of the host in a box, which is where
# they are tested.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
# shellcheck source=tests/host/lib/paths.sh
. "$TOP/tests/host/lib/paths.sh"
# shellcheck source=tests/host/lib/kernel.sh
. "$TOP/tests/host/lib/kernel.sh"

mkdir -p "$BOX_HOST"
exec {lock}>"$BOX_HOST/lock"
flock "$lock"
kernel_prepare
exec {lock}>&-

release=$(basename "$(readlink "$BOX_HOST/kernel/modules")")
exec make -s -C "$TOP/guest-drivers" modules KERNEL="$release" \
    OUT="$BOX_DRIVERS/$release" "$@"
