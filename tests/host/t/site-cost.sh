#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# box: none
# arm64: none
# time: 240
# only: full
#
# Compares the columns of the hosts' architecture in the table of sites in docs/develop/results.md
# with a measurement in two hosts in icount mode.  The instructions that the patches add have to be
# the same while no event is on, on arm64 but for 20, or 70 for a map.  With an event on they may
# differ by a tenth, because of another compiler; Linux and Xen themselves may differ by 2 %. In a
# round trip the kernels take paths that differ by a few instructions, so it may be off by 40. While
# an event is on, an unmap on arm64 takes one of two paths, whose lengths differ. Fails if a site
# costs more, or if the table is out of date.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=../dom0/usr/lib/box/tap.sh
. "$here/dom0/usr/lib/box/tap.sh"
# The first column of the architecture, and the instructions by which two boots differ.
case ${XEN_ARCH:-x86_64} in
arm64) column=6 chance=20 map_chance=70 ;;
*)     column=3 chance=0 map_chance=0 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The number of instructions by which the other path of an unmap is shorter.
shorter=6283

# measured NAME: prints native, off, on
measured()
{
    awk -v name="$1" -v shorter="$shorter" '$1 == name {
        print $2, $3, $4 + (name == "unmap" && $4 < $2 ? shorter : 0) }' "$work/table"
}

# documented OPERATION: prints the same from the document
documented()
{
    awk -F '|' -v name="$1" -v first="$column" 'index($2, " " name) == 1 {
        print $first + 0, $(first + 1) + 0, $(first + 2) + 0 }' \
        "$top/docs/develop/results.md"
}

# near PERCENT GOT WANTED [MORE]: off by at most PERCENT and MORE instructions
near()
{
    awk -v percent="$1" -v got="$2" -v wanted="$3" -v more="${4:-0}" 'BEGIN {
        print "got", got ", documented", wanted
        off = got < wanted ? wanted - got : got - wanted
        part = (wanted < 0 ? -wanted : wanted) * percent / 100
        exit !(wanted && off <= part + more) }'
}

# compare NAME OPERATION [INSTRUCTIONS]: compares; INSTRUCTIONS is the permitted difference
compare()
{
    local native off on old_native old_off old_on more=${3:-$chance}

    read -r native off on < <(measured "$1") || :
    read -r old_native old_off old_on < <(documented "$2") || :
    check "$2: off it costs what the document says" \
        near 0 $((off - native)) $((old_off - old_native)) "$more"
    check "$2: on as well" near 10 $((on - off)) $((old_on - old_off)) "$more"
    check "$2: the rest costs the same" near 2 "$native" "$old_native"
}

"$top/tests/bench/site-cost.sh" >"$work/table"
sed 's/^/# /' "$work/table"
compare send "event channel send"
compare map "grant map" $map_chance
compare unmap "grant unmap"
compare switch "round trip" 40
finish
