#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The second user of jump labels, Xen's trace points, on the hypervisor of the series to xen-devel
# (xen-patches/series-tree.sh): they trace when xentrace turns them on.  Otherwise they cost less
# than those of the unpatched hypervisor, or hardly more with context switches, in instructions of
# whole operations (exact mode; see ../bench/site-cost.sh). Writes TAP.
#
# Needs `make xen xen-native`.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/paths.sh
. "$here/lib/paths.sh"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# boot XEN SCRIPT [FILE]
boot()
{
    "$here/box" --mode exact --sockets 1 --cores 1 --timeout 900 --xen "$1" \
        --results "$results" "${@:2}"
}

"$here/../../xen-patches/series-tree.sh" jump-labels >&2
boot native "$here/trace-points/costs.sh" >&2
boot "$BOX_BUILD/xen/jump-labels/xen/xen" "$here/trace-points/dom0.sh" \
    "$here/trace-points/costs.sh" "$results/costs"
