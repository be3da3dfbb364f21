#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make stock: runs tests on a host where only the hypervisor is patched; dom0's toolstack is the
# release's own.  The daemon and the command must work as they do with the patched toolstack.
# Writes TAP.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/paths.sh
. "$here/lib/paths.sh"
# shellcheck source=../tap.sh
. "$here/../tap.sh"
export BOX_TOOLSTACK=$BOX_BUILD/dist-native BOX_HOST=$BOX_BUILD/host-stock
export BOX_RESULTS=$BOX_BUILD/test/host-stock

knows_nothing()
{
    local library=$BOX_TOOLSTACK/usr/lib/libxenctrl.so

    # The test would find these names if they existed.
    grep -q xc_sysctl "$library" && ! grep -q xc_schedlog "$library" &&
        ! grep -q vm-affinity "$BOX_TOOLSTACK/usr/sbin/xl"
}

"$here/../../xen-patches/toolstack.sh" native >&2
echo 1..1
check "this toolstack knows nothing of the log" knows_nothing
"$here/run-tests.sh" daemon daemon-xenstored commands lease
