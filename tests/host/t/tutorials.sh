#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# box: none
# time: 1500
# only: full
#
# The tutorials of README and of the documents work as they are written: each command
# succeeds in dom0 of a host whose daemon has its defaults, or in a guest that uses its
# disk.  Fails if a document shows a command that has changed, or starts a second daemon.
#
# Two lines of docs/measure/timeline.md run on this machine afterwards, with the recording of
# that host: "--ctf rows.ctf", for babeltrace2's plugin, and "--with lttng-of-the-guest".  The
# guest has no LTTng, so the trace of the former line has that name; with an LTTng trace,
# tests/unit/command/command-with.t runs "--with".
# Tutorials that need more than this host are tested elsewhere, as written: installation and
# security updates in tests/packages, "xensched fleet" in tests/metrics/fleet.t (fleet-hosts.t
# runs it and "xensched traffic" on two hosts, with other paths and ports).

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=../dom0/usr/lib/box/tap.sh
. "$here/dom0/usr/lib/box/tap.sh"
# shellcheck source=../lib/paths.sh
. "$here/lib/paths.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

declare -A recorded

# add FUNCTION ARGUMENT...: appends a call to the script for dom0.
add()
{
    local word

    printf '%s' "$1"
    for word in "${@:2}"; do
        printf " '%s'" "${word//\'/\'\\\'\'}"
    done
    echo
} >>"$work/tutorials.sh"

# tutorial DOCUMENT HEADING: adds a check for each of its commands.  A recording that another
# tutorial has made is not repeated.
tutorial()
{
    local commands command

    commands=$("$here/tutorial.py" "$top/$1" "$2")
    while read -r command; do
        case $command in
        'xensched record '*)
            [[ -z ${recorded[$command]-} ]] || continue
            recorded[$command]=yes ;;
        esac
        case $command in
        *' &')                add try_in_background "$1" "${command% &}" ;;
        wait)                 add try_waiting "$1" ;;
        'xensched on '*)      add try_interrupted "$1" "$command" 5 ;;
        'xensched sample '*' --every '*) add try_interrupted "$1" "$command" 15 ;;
        'xensched sample estimate '*)
            add write_measured "${command##* }"
            add try "$1" "$command" ;;
        *)                    add try "$1" "$command" ;;
        esac
    done <<<"$commands"
}

cat >"$work/tutorials.sh" <<'END'
#!/bin/sh
. /usr/lib/box/tap.sh

# try DOCUMENT COMMAND
try()
{
    check "$1: $2" timeout 400 sh -c "$2"
}

# try_in_background DOCUMENT COMMAND
try_in_background()
{
    sh -c "exec $2" >/run/background.log 2>&1 &
    background=$!
    sleep 5
    check "$1: $2 &" kill -0 $background
}

# try_waiting DOCUMENT: the latest command in the background ends.
try_waiting()
{
    wait $background
    is "$1: the command in the background succeeds" $? 0
}

# try_interrupted DOCUMENT COMMAND SECONDS: the command waits, until Ctrl-C ends it.
try_interrupted()
{
    sh -c "exec $2" >/run/interrupted.log 2>&1 &
    interrupted=$!
    sleep "$3"
    cat /run/interrupted.log
    check "$1: $2" kill -0 $interrupted
    kill -INT $interrupted 2>/dev/null
    wait $interrupted
    is "$1: Ctrl-C ends the command" $? 0
}

# start_daemon OPTION...
start_daemon()
{
    xenschedd "$@" >>/run/xenschedd.log 2>&1 &
    daemon=$!
    check "the daemon starts" until_true 30 xensched status
    sleep 10
}

stop_daemon()
{
    kill $daemon
    wait $daemon
    is "the daemon ends cleanly" $? 0
}

mkdir -p /var/tmp /var/lib/xensched /var/log/xensched
cd /var/tmp || exit
guest start obedient name=web1 disk=4 cpus=all 'xl=vm_affinity_log = 1'
in_guest web1 "(while :; do
        dd if=/dev/zero of=/dev/xvda bs=4k count=256 oflag=direct
        dd if=/dev/xvda of=/dev/null bs=4k count=256 iflag=direct
    done) >/dev/null 2>&1 &"

# The box has no network for ssh.  Prints what the command printed, and exits as it did.
cat >/usr/bin/ssh <<'SSH'
#!/bin/sh
# ssh root@GUEST COMMAND
guest=${1#root@}
shift
obey "$guest" "$*"
code=$?
guest output "$guest" | awk -v last="done $(cat "/run/guests/$guest/commands")" '
    $1 " " $2 == last { printf "%s", text }
    $1 == "done" { text = ""; next }
    { text = text $0 "\n" }'
exit $code
SSH
chmod +x /usr/bin/ssh

# The box keeps the modules elsewhere, and has no make.
in_guest web1 'mkdir /lib/modules/$(uname -r)/extra &&
    cp /lib/xensched/xensched_log.ko /lib/xensched/xensched_guest.ko \
        /lib/modules/$(uname -r)/extra && depmod &&
    printf "%s\n" "#!/bin/sh" "exec spin 1" >/usr/bin/make && chmod +x /usr/bin/make'
is "the guest has what the tutorials need" $? 0

# write_measured FOLDER: the reader measures each chosen sample with a simulator.
write_measured()
{
    grep -o '"number": *[0-9]*' "$1/chosen.json" | sed 's/[^0-9]*//; s/$/ 1.5/' >"$1/measured"
}

start_daemon
END
tutorial README.md "The first five minutes"
tutorial README.md "Measure a guest"
tutorial docs/operate/daemon.md "Plans and modes"
tutorial docs/operate/placement.md "Placement"
tutorial docs/operate/troubleshooting.md "Troubleshooting"
tutorial docs/operate/troubleshooting.md "A guest stutters, or a service is slow"
tutorial docs/operate/waits.md "My guest stutters"
tutorial docs/operate/trial.md "Trial: does placement help on this host?"
{
    echo "xensched trial stop"
    echo "stop_daemon"
    echo "cat >/run/events.conf <<'END'"
    "$here/tutorial.py" --text "$top/docs/measure/recording.md" \
        "Which events for which command"
    printf '%s\n' END "start_daemon --config /run/events.conf"
} >>"$work/tutorials.sh"
tutorial docs/operate/reactions.md "Reactions"
tutorial docs/measure/recording.md "Recording"
tutorial docs/measure/recording.md "Keep the latest rows, and write them when something happens"
{
    echo 'kill -INT $background'
    add try_waiting "docs/measure/recording.md"
} >>"$work/tutorials.sh"
tutorial docs/measure/recording.md "Try settings on a recording"
tutorial docs/measure/timeline.md "The timeline"
tutorial docs/measure/marks.md "Marks and regions"
tutorial docs/measure/experiments.md "Experiments"
tutorial docs/measure/sampling.md "Samples"
cat >>"$work/tutorials.sh" <<'END'
stop_daemon
cp rows "$RESULTS"
finish
END

# The last line that the box prints is its plan, which is not the last one of this test.
code=0
"$here/box" --timeout 1400 --sockets 2 --cores 4 --numa --memory 4096 --dom0-memory 2560 \
    --results "$work/results" "$work/tutorials.sh" |
    tee "$work/tap" | grep -v '^1\.\.[0-9]*$' || code=$?
TAP_COUNT=$(grep -c '^\(not \)\?ok' "$work/tap" || :)
TAP_FAILED=$code
export PATH=$BOX_TOOLS:$PATH LD_LIBRARY_PATH=$BOX_DIST/usr/lib
mkdir -p "$work/results"
cd "$work/results"
while read -r command; do
    check "docs/measure/timeline.md: $command" sh -c "$command"
    [[ $command != *--ctf* ]] || cp -r rows.ctf lttng-of-the-guest
done < <("$here/tutorial.py" --not-here "$top/docs/measure/timeline.md" "The timeline")
finish
