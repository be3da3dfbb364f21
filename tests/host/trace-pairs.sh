#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The series xentrace to xen-devel, on the hypervisor that this series alone makes
# (xen-patches/series-tree.sh): xentrace records notifications and grants of known
# numbers, and xenalyze sums them up by pairs of domains.  Fails if a record is missing,
# or names another domain.  Writes TAP.
#
# Needs `make xen tools`.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/paths.sh
. "$here/lib/paths.sh"
. "$here/../tap.sh"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
tree=$BOX_BUILD/xen/xentrace

# Builds the series' xenalyze, which runs on any Linux.
build_xenalyze()
{
    mkdir "$results/include"
    ln -s "$tree/xen/include/public" "$results/include/xen"
    "${CC:-cc}" -std=gnu99 -O2 -Wall -Werror -I"$results/include" -I"$tree/tools/include" \
        "$tree"/tools/xentrace/{xenalyze,mread}.c -o "$results/xenalyze"
}

boot()
{
    "$here/box" --sockets 1 --cores 2 --timeout 600 --xen "$tree/xen/xen" \
        --results "$results" "$here/trace-pairs/dom0.sh" >&2
}

analyze() { "$results/xenalyze" --summary "$results/trace" > "$results/summary"; }

# number NAME: the number that dom0.sh has written for NAME
number() { awk -v name="$1" '$1 == name { print $2 }' "$results/numbers"; }

# pair FROM TO COLUMN: a number of the table of pairs; columns are counted from 1
pair()
{
    awk -v from="$(number "$1")" -v to="$(number "$2")" -v column="$3" '
        /^Domain pairs/ { on = 1 }
        on && $1 == from && $2 == to { value = $column }
        END { print value + 0 }' "$results/summary"
}

is()
{
    echo "got $1, wanted $2"
    [ "$1" = "$2" ]
}

at_least()
{
    echo "got $1, wanted at least $2"
    [ "$1" -ge "$2" ]
}

"$here/../../xen-patches/series-tree.sh" xentrace >&2
echo 1..10
check "xenalyze of the series builds" build_xenalyze
check "xentrace records while domains communicate" boot
check "xenalyze reads the records" analyze
check "1000 notifications of a guest to another" is "$(pair sender listener 3)" 1000
check "and none in the other direction" is "$(pair listener sender 3)" 0
# 50 pings of 1042 bytes
check "the back end maps a page of each packet of the guest" \
    at_least "$(pair dom0 sender 4)" 50
check "and unmaps each" is "$(pair dom0 sender 5)" "$(pair dom0 sender 4)"
check "it copies the beginning of each" at_least "$(pair sender dom0 6)" 50
check "and each packet to the guest" at_least "$(pair dom0 sender 6)" 50
check "with all bytes" at_least "$(pair dom0 sender 7)" $((50 * 1042))
sed -n '/^Domain pairs/,$s/^/# /p' "$results/summary"
