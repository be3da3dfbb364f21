#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make pictures: makes the pictures of docs/measure/timeline.md, and the output of its commands,
# in build/pictures/.  Boots hosts in exact mode, where only their own programs cause waits, and
# analyses the recordings on this machine.  Needs Debian's package chromium.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/paths.sh
. "$here/lib/paths.sh"
out=$BOX_BUILD/pictures
export LD_LIBRARY_PATH=$BOX_DIST/usr/lib

xensched() { "$BOX_BUILD/tools/xensched" "$@"; }

# waited_for_crunch NAME DOMAIN...: prints the time, in seconds of the recording, at which one
# of the domains had notified dom0 and waited because dom0 had no pCPU.
waited_for_crunch()
{
    local at

    for at in $(seq 0.05 0.01 5); do
        if xensched why "$1.rows" "${@:2}" --at "$at" 2>/dev/null |
                grep -A 2 'crunch ran there for \([89]\|10\)\.[0-9] ms' |
                grep -q 'notified it'; then
            echo "$at"
            return
        fi
    done
    echo "pictures: error: in $1.rows no domain waited for crunch" >&2
    return 1
}

# moved_at NAME: prints the time of the daemon's move
moved_at()
{
    xensched timeline --json "$1.rows" | python3 -c '
import json, sys
print("%.6f" % next(d["at_ns"] / 1e9 for d in json.load(sys.stdin)["decisions"]
                    if d["text"].startswith("move")))'
}

# say COMMAND...: prints the command as a user types it, and its output.
say()
{
    echo "# $*"
    "$@"
    echo
}

# picture NAME AT BEFORE AFTER HEIGHT: draws the time from BEFORE ms before to AFTER ms after AT.
picture()
{
    local range

    range=$(awk -v at="$2" -v before="$3" -v after="$4" 'BEGIN {
        printf "%.0f,%.0f", at * 1e9 - before * 1e6, at * 1e9 + after * 1e6 }')
    rm -f "$1.png"
    chromium --headless=new --no-sandbox --disable-gpu --window-size=1200,"$5" \
        --hide-scrollbars --virtual-time-budget=10000 \
        --screenshot="$out/$1.png" "file://$out/$1.html#t=$range" \
        2>chromium.log
    [[ -s $1.png ]] || { cat chromium.log >&2; return 1; }
}

# boot NAME OPTION...: boots a host that leaves recordings
boot()
{
    echo "pictures: booting a Xen host in exact mode"
    "$here/box" --mode exact --cores 2 --dom0-vcpus 1 --timeout 900 \
        --results "$out" "${@:2}" "$here/pictures/$1.sh"
}

slow_request()
{
    local at

    at=$(waited_for_crunch slow-request disk)
    say xensched latency slow-request.rows
    say xensched why slow-request.rows disk --at "$at"
    say xensched timeline slow-request.rows --html slow-request.html
    picture slow-request "$at" 12 28 330
}

layers()
{
    local at

    at=$(waited_for_crunch layers app --thread asker)
    say xensched why layers.rows app --thread asker --at "$at"
    say xensched timeline layers.rows
    say xensched timeline layers.rows --html layers.html
    picture layers "$at" 14 4 640
}

moved()
{
    local at

    at=$(moved_at moved)
    echo "# xensched explain disk"
    cat moved.explained
    echo
    say xensched timeline moved.rows
    say xensched timeline moved.rows --html moved.html
    picture moved "$at" 8 8 330
}

command -v chromium >/dev/null ||
    { echo "pictures: error: chromium is missing; 'apt-get install chromium' installs it" >&2
      exit 69; }
mkdir -p "$out"
boot dom0 --sockets 1
boot moved-dom0 --sockets 2
cd "$out"
for name in slow-request layers moved; do
    "${name//-/_}" | tee "$name.txt"
done
echo "pictures: $out/{slow-request,layers,moved}.{png,txt,html}"
