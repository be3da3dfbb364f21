#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A second patched hypervisor for arm64 with colours of the last-level cache, which Xen's
# default configuration leaves out: build/arm64/xen/colours/xen/xen.  It is for
# tests/host/llc-colours.sh.  Needs `make xen XEN_ARCH=arm64`.

set -euo pipefail
export XEN_ARCH=arm64
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/xenmake.sh"
. "$PATCHES/lib/variant.sh"
no_arguments "$@"

TREE=$XEN/colours

configure()
{
    variant_configure "$TREE" CONFIG_LLC_COLORING CONFIG_LLC_COLORING=y
}

hypervisor() { xen_make "$TREE/xen"; }

variant_need_patched
need make aarch64-linux-gnu-gcc bison flex python3 flock
lock
variant_sources "$TREE"
stage "Xen configuration (colours)" config-colours configure
stage "Xen hypervisor (colours)" hypervisor-colours hypervisor
