#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# box: none
# time: 900
# only: full
#
# The tutorials of README and of the documents work as they are written: each command
# succeeds in dom0 of a host whose daemon has its defaults, with a guest that uses its
# disk.  Fails if a document shows a command that has changed, or starts a second daemon.
# Tutorials that need more than this host are tested where it is: marks in tests/drivers,
# installation and security updates in tests/packages, many hosts in
# tests/metrics/fleet-hosts.t, experiments and samples in runs.sh and sample.sh.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
top=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

declare -A tried

# tutorial DOCUMENT HEADING: adds a check for each of its commands that no other one has.
tutorial()
{
    local commands command

    commands=$("$here/tutorial.py" "$top/$1" "$2")
    while read -r command; do
        [[ -z ${tried[$command]-} ]] || continue
        tried[$command]=yes
        case $command in
        *' &')           printf 'try_in_background "%s" "%s"\n' "$1" "${command% &}" ;;
        'xensched on '*) printf 'try_waiting "%s" "%s"\n' "$1" "$command" ;;
        *)               printf 'try "%s" "%s"\n' "$1" "$command" ;;
        esac
    done <<<"$commands" >>"$work/tutorials.sh"
}

cat >"$work/tutorials.sh" <<'END'
#!/bin/sh
. /usr/lib/box/tap.sh

# try DOCUMENT COMMAND
try()
{
    check "$1: $2" timeout 120 sh -c "$2"
}

# try_in_background DOCUMENT COMMAND
try_in_background()
{
    sh -c "exec $2" >/run/background.log 2>&1 &
    background=$!
    sleep 5
    check "$1: $2 &" kill -0 $background
}

# try_waiting DOCUMENT COMMAND: the daemon accepts what the command waits for.
try_waiting()
{
    sh -c "exec $2" >/run/waiting.log 2>&1 &
    waiting=$!
    sleep 5
    cat /run/waiting.log
    check "$1: $2" kill -0 $waiting
    kill -INT $waiting
    wait $waiting
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
tutorial docs/operate/daemon.md "Plans and modes"
tutorial docs/operate/placement.md "Placement"
tutorial docs/operate/troubleshooting.md "Troubleshooting"
tutorial docs/operate/troubleshooting.md "A guest stutters, or a service is slow"
tutorial docs/operate/waits.md "My guest stutters"
tutorial docs/operate/trial.md "Trial: does placement help on this host?"
tutorial docs/operate/reactions.md "Reactions"
tutorial docs/measure/recording.md "Recording"
tutorial docs/measure/recording.md "Keep the latest rows, and write them when something happens"
tutorial docs/measure/recording.md "Try settings on a recording"
tutorial docs/measure/timeline.md "The timeline"
cat >>"$work/tutorials.sh" <<'END'
kill -INT $background
wait $background
is "the flight recorder ends cleanly" $? 0
kill $daemon
wait $daemon
is "the daemon ends cleanly" $? 0
finish
END

"$here/box" --timeout 850 --sockets 2 --cores 1 --numa "$work/tutorials.sh"
