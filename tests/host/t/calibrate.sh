#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 2 --numa
# only: full
# time: 200
#
# xensched calibrate in a real dom0: it measures lines, notifications and memory of both nodes,
# restores dom0's affinity, and leaves no domain; the daemon uses the measurements.  The emulator
# decides how long a nanosecond is, so the test shows the effect of the file with synthetic numbers.
# Fails if Xen refuses an operation, or something is left behind.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
file=/var/lib/xensched/distances.json
stopped=

# numbers KIND: prints all measurements between nodes
numbers()
{
    tr -d ' \n' <$file | sed "s/.*\"$1\":{\([^}]*\)}.*/\1/; s/.*between\":\[\[//" |
        tr -c '0-9.' ' '
}

# how_many KIND: counts those above 0
how_many()
{
    numbers "$1" | tr ' ' '\n' | awk '$1 > 0 { n++ } END { print n + 0 }'
}

# would_save: prints the ms/s that the disk's guest would save
would_save()
{
    xensched explain disk | tr -s '\n ' ' ' |
        sed -n 's/.*saves \([0-9.]*\) ms.s ([0-9]* notifications.*/\1/p' | head -n 1
}

saves_more_than() { awk -v got="$(would_save)" -v than="$1" 'BEGIN { exit !(got > than) }'; }

affinities >before
check "calibrate succeeds" xensched calibrate
is "memory: from each node to each" "$(how_many memory)" 4
is "notifications: there and back" "$(how_many notification)" 2
is "lines: there and back" "$(how_many line)" 2
affinities >after
check "dom0's affinity is restored" cmp before after
is "no domain is left" "$(xl list | wc -l)" 2

guest start paced name=disk
xl vcpu-pin disk 0 2-3 all
xl vcpu-pin disk 0 all all
line() { echo "{\"pcpus\":4,\"nodes\":2,\"line\":{\"llc\":10,\"between\":[[0,$1],[$1,0]]},
    \"notification\":{\"between\":[[0,0],[0,0]]},
    \"memory\":{\"between\":[[80,80],[80,80]]}}" >$file; }
line 100
start_daemon --mode advise --policies placement --least-gain 1000000
is "the daemon starts" "$?" 0
sleep 10
note "with lines of 100 ns it would save: $(would_save) ms/s"
line 100000
kill -HUP "${daemon:?}"
check "with lines that take 1000 times as long it would save far more" \
    until_true 20 saves_more_than 100
note "with lines of 100000 ns: $(would_save) ms/s"
echo "{}" >$file
kill -HUP "${daemon:?}"
check "a file without distances is reported" until_true 10 grep -q "distances are as before" /run/xenschedd.log
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
finish
