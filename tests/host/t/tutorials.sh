#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# box: none
# time: 600
# only: full
#
# The tutorials of README and of the documents work as they are written: each command
# succeeds in dom0 of a host whose daemon has its defaults, with a guest that uses its
# disk.  Fails if a document shows a command that has changed, or starts a second daemon.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
top=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

declare -A tried

# tutorial DOCUMENT HEADING: adds a check for each of its commands that no other one has.
tutorial()
{
    local command

    while read -r command; do
        [[ -z ${tried[$command]-} ]] || continue
        tried[$command]=yes
        printf 'try "%s" "%s"\n' "$1" "$command"
    done < <("$here/tutorial.py" "$top/$1" "$2") >>"$work/tutorials.sh"
}

cat >"$work/tutorials.sh" <<'END'
#!/bin/sh
. /usr/lib/box/tap.sh

# try DOCUMENT COMMAND
try()
{
    check "$1: $2" timeout 120 sh -c "$2"
}

mkdir -p /var/tmp /var/lib/xensched /var/log/xensched
cd /var/tmp || exit
guest start disk
xenschedd >/run/xenschedd.log 2>&1 &
daemon=$!
check "the daemon starts" until_true 30 xensched status
sleep 10
END
tutorial README.md "The first five minutes"
tutorial README.md "Measure a guest"
tutorial docs/operate/daemon.md "The first five minutes"
tutorial docs/operate/placement.md "Placement"
tutorial docs/operate/troubleshooting.md "Troubleshooting"
tutorial docs/operate/troubleshooting.md "A guest stutters, or a service is slow"
tutorial docs/measure/recording.md "Recording"
tutorial docs/measure/timeline.md "The timeline"
cat >>"$work/tutorials.sh" <<'END'
kill $daemon
wait $daemon
is "the daemon ends cleanly" $? 0
finish
END

"$here/box" --timeout 550 --sockets 2 --cores 1 --numa "$work/tutorials.sh"
