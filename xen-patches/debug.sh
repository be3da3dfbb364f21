#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A second patched hypervisor with CONFIG_DEBUG, which makes each ASSERT() of Xen's
# and ours a check: build/xen/debug/xen/xen.  It is for tests/host/debug.sh.  Needs
# `make xen`.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/xenmake.sh"
. "$PATCHES/lib/variant.sh"
no_arguments "$@"

TREE=$XEN/debug

configure()
{
    variant_configure "$TREE" '^(# )?CONFIG_DEBUG[= ]' CONFIG_DEBUG=y
}

hypervisor() { xen_make "$TREE/xen"; }

variant_need_patched
need make gcc ld bison flex python3 flock
lock
variant_sources "$TREE"
stage "Xen configuration (debug)" config-debug configure
stage "Xen hypervisor (debug)" hypervisor-debug hypervisor
