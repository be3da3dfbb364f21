#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make stock: only the hypervisor is ours; dom0's toolstack is what Xen of that
# release has, with none of our patches.  The daemon and the command do all that they
# do.  Writes TAP.

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

    # What is looked for would be found if it were there.
    grep -q xc_sysctl "$library" && ! grep -q xc_schedlog "$library" &&
        ! grep -q vm-affinity "$BOX_TOOLSTACK/usr/sbin/xl"
}

"$here/../../xen-patches/toolstack.sh" native >&2
echo 1..1
check "this toolstack knows nothing of the log" knows_nothing
"$here/run-tests.sh" daemon daemon-xenstored commands lease
