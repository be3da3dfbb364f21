#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 8
# box: --sockets 2 --cores 4 --numa
# time: 240
#
# An operator's commands on a real Xen: top on a terminal, dump and advise-size on the rows of a
# running host, allow-marks, and the metrics of a daemon that acts.  The host has NUMA nodes, and xl
# has put each guest on one: the disk's is on the wrong one.  Fails if it stays there, or if a
# command's output is wrong.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/log.sh
near=${near:?} # dom0's pCPUs
metrics=/run/xensched.prom
stopped=
# On arm64 dom0's pCPUs are a cluster of the only socket.
place="node 0"
! on_arm64 || place="socket 0"

guest start paced name=disk &
guest start obedient name=marker &
wait
# Without nodes this would be an operator's affinity.
on_arm64 || xl vcpu-pin disk all all 4-7
affinities >before

# metric NAME [TEXT]: prints the first sample with this name whose labels contain TEXT.
metric()
{
    awk -v name="$1" -v text="$2" '
        index($1, name) == 1 && (text == "" || index($0, text)) {
            print $NF
            exit
        }' $metrics
}

metric_is()
{
    equal "$(metric "$1")" "$2"
}

at_its_place()
{
    between 0.9 1 "$(metric 'xensched_place_ratio{domain="disk"' "place=\"$place\"")"
}

# Removes the cursor's movements from top's output.
drawn()
{
    tr '\033\r' '@\n' <top.txt | sed 's/@\[[0-9;?]*[A-Za-z]/ /g'
}

# marks CODE: the guest makes five; $said is Xen's result.
marks()
{
    in_guest marker "mark $1 5"
    said=$(guest output marker | grep -v '^done' | tail -n 1)
}

start_daemon --mode act --metrics $metrics --log "${daemon_events:?},mark"
is "the daemon starts" "$?" 0
check "a guest on another node is moved to dom0's" until_true 30 soft_is disk "$near"
check "and runs there, according to the log" runs_near disk

# Metrics are written every 5 s.
check "metrics: one move" until_true 15 metric_is xensched_moves_total 1
check "metrics: the guest is on dom0's node" until_true 10 at_its_place
check "metrics: rows are read, and none is lost" \
    between 1 1000000000 "$(metric xensched_rows_total hypervisor)"

TERM=linux at-terminal 4000 q xensched top >top.txt
is "top ends on q" "$?" 0
drawn >screen
check "top names the guest's partner, and shows that it is at its target" \
    grep -qE " disk +[0-9.]+ [- ]+(9[0-9]|100) % +ours +[0-9.]+ +Domain-0 " screen
check "and that the other one has no partner" \
    grep -qE " marker +[0-9.]+ [- ]+default +0\.0 +- " screen
true | TERM=linux xensched top >no-terminal 2>&1
check "without a terminal top reports that" grep -q "terminal" no-terminal

# Two readers at the same time, which begin at different times.
xensched dump --seconds 3 >rows.txt 2>/dev/null &
xensched advise-size --seconds 3 >advice.txt 2>/dev/null
wait $!
rows=$(grep -vc '^#' rows.txt)
said=$(sed -n '1s/.* ms, \([0-9]*\) rows.*/\1/p' advice.txt)
note "dump: $rows rows, advise-size: $said"
check "rows of the guest are on dom0's pCPUs" awk '
    $3 == "service-ns" && $4 == "disk" { rows++; away += $2 > 3 }
    END { print rows, away; exit !(rows > 20 && away < rows / 20) }' rows.txt
check "advise-size counts the rows that dump prints" \
    between $((rows / 2)) $((rows * 2)) "$said"
xensched record --seconds 1 rows.rec 2>/dev/null
xensched dump rows.rec >rows.txt 2>/dev/null
is "for a recording exactly" \
    "$(xensched advise-size --source recording:rows.rec 2>/dev/null |
       sed -n '1s/.* ms, \([0-9]*\) rows.*/\1/p')" \
    "$(sed '1d; /^#/d' rows.txt | wc -l)"
check "and nothing is lost" grep -q "rows, 0 lost" advice.txt

# Marks.
marks 100
is "a guest may not log marks" "$said" "EPERM 0"
check "xensched allow-marks allows them" xensched allow-marks "$(domid marker)" on
xensched dump --seconds 6 >rows.txt 2>/dev/null &
sleep 2 # rows must come after the reader's start
marks 100
wait $!
is "then the guest can log marks" "$said" "ok 5"
is "and the rows have its codes" \
    "$(awk '$3 == "mark" { print $6 }' rows.txt | tr '\n' ' ')" "100 101 102 103 104 "
check "xensched allow-marks forbids them" xensched allow-marks "$(domid marker)" off
marks 100
is "then the guest may not log marks again" "$said" "EPERM 0"
check "an unknown domain is an error" \
    sh -c '! xensched allow-marks 12345 on 2>marks.txt && grep -q 12345 marks.txt'

stop_daemon TERM
is "the daemon ends cleanly" "$stopped" 0
affinities >after
check "every affinity is as before" cmp before after
check "no old metrics are left" test ! -e $metrics
finish
