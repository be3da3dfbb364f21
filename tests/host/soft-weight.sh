#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The series soft-affinity to xen-devel: boots the unpatched hypervisor, then the one that this
# series alone makes (xen-patches/series-tree.sh), both with the release's own toolstack, and runs
# the commands of the cover letter.  Fails if the unpatched hypervisor heeds a soft affinity, which
# the letter denies, or if the patched one does not.  Writes TAP.
#
# Needs `make xen xen-native tools`.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/paths.sh
. "$here/lib/paths.sh"
# shellcheck source=../tap.sh
. "$here/../tap.sh"
export BOX_TOOLSTACK=$BOX_BUILD/dist-native BOX_HOST=${BOX_HOST:-$BOX_BUILD/host-stock}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

boot()
{
    "$here/box" --sockets 3 --cores 2 --timeout 1800 --xen "$1" --results "$results/$2" \
        "$here/soft-weight/readings.sh" >&2
}

# preferred FILE NAME FROM TO: the readings on the preferred pCPUs
preferred()
{
    awk -v name="$2" -v from="$3" -v to="$4" '
        $1 == name { print; found = from <= $2 && $2 <= to }
        END        { exit !found }' "$results/$1/rows"
}

"$here/../../xen-patches/toolstack.sh" native >&2
"$here/../../xen-patches/series-tree.sh" soft-affinity >&2
echo 1..6
check "the unpatched hypervisor boots" boot native before
check "it takes a guest from the pCPUs that the guest prefers" preferred before unpatched 0 5
check "the hypervisor of the series boots" boot "$BOX_BUILD/xen/soft-affinity/xen/xen" after
check "with weight 0 it does the same" preferred after 0 0 5
check "with weight 50 the guest stays there" preferred after 50 15 20
check "with weight 0 again it leaves" preferred after 0-again 0 5
sed 's/^/# /' "$results"/{before,after}/rows
