#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the Linux modules for the kernel of the test host; the log module once more with another
# version of the ABI; and xen-blkback with the patch for Linux itself.

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

# other_version: builds the log module with another version of the ABI.
other_version()
{
    local out=$BOX_DRIVERS/other-version/$release

    "$TOP/guest-drivers/stage.sh" "$out"
    sed -i 's/^\(#define XEN_SCHEDLOG_ABI_VERSION *\).*/\199/' \
        "$out/include/schedlog.h"
    sed -i 's|^obj-m += .*|obj-m += core/|' "$out/Kbuild"
    make -s -C "$("$TOP/guest-drivers/headers.sh" "$release")" M="$out" modules
    cp "$out/core/xensched_log.ko" \
        "$BOX_DRIVERS/$release/xensched_log-version-99.ko"
}

# traced: builds xen-blkback with the tracepoint of the patch for Linux.
traced()
{
    local out=$BOX_DRIVERS/upstream/$release

    "$TOP/guest-drivers/upstream/build.sh" "$release" \
        "$BOX_DRIVERS/$release/blkback"/linux-source-* "$out" &&
        cp "$out/drivers/block/xen-blkback/xen-blkback.ko" \
            "$BOX_DRIVERS/$release/xen-blkback-traced.ko"
}

# Linux's build system reads these variables.
[[ $BOX_ARCH == x86_64 ]] || export ARCH=$BOX_ARCH CROSS_COMPILE=$BOX_CROSS
release=$(basename "$(readlink "$BOX_HOST/kernel/modules")")
make -s -C "$TOP/guest-drivers" modules KERNEL="$release" \
    OUT="$BOX_DRIVERS/$release" "$@"
other_version
traced
