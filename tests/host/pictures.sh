#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make pictures: those of docs/timeline.md, and what the commands say there, anew,
# in build/pictures/.  A host in exact mode, where nothing but its own program makes
# anybody wait; the recording is looked at here.  Needs Debian's package chromium.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/paths.sh
. "$here/lib/paths.sh"
out=$BOX_BUILD/pictures
name=slow-request
export LD_LIBRARY_PATH=$BOX_DIST/usr/lib

xensched() { "$BOX_BUILD/tools/xensched" "$@"; }

# slowest: the middle of the time that the slowest notification took to be taken, in
# seconds of the recording.
slowest()
{
    xensched latency --json $name.rows | python3 -c '
import json, sys
pair = max(json.load(sys.stdin)["pairs"], key=lambda pair: pair["total_ns"]["max"])
print("%.6f" % ((pair["slowest_at_ns"] + pair["total_ns"]["max"] / 2) / 1e9))'
}

# say COMMAND...: it, as somebody types it, and what it says.
say()
{
    echo "# $*"
    "$@"
    echo
}

# picture AT: of 40 ms around it.
picture()
{
    local range

    range=$(awk -v at="$1" 'BEGIN {
        printf "%.0f,%.0f", (at - 0.012) * 1e9, (at + 0.028) * 1e9 }')
    rm -f $name.png
    chromium --headless=new --no-sandbox --disable-gpu --window-size=1200,330 \
        --hide-scrollbars --virtual-time-budget=10000 \
        --screenshot="$out/$name.png" "file://$out/$name.html#t=$range" \
        2>chromium.log
    [[ -s $name.png ]] || { cat chromium.log >&2; return 1; }
}

command -v chromium >/dev/null ||
    { echo "pictures: error: Debian's package chromium is not installed" >&2; exit 69; }
mkdir -p "$out"
echo "pictures: booting a Xen host in exact mode"
"$here/box" --mode exact --sockets 1 --cores 2 --dom0-vcpus 1 --timeout 600 \
    --results "$out" "$here/pictures/dom0.sh"
cd "$out"
at=$(slowest)
{
    say xensched latency $name.rows
    say xensched why $name.rows disk --at "$at"
    say xensched timeline $name.rows --html $name.html
} | tee $name.txt
picture "$at"
echo "pictures: $out/$name.png, $name.txt, $name.html"
