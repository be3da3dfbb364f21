#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --machine xeon2 --mode timed --sockets 2 --cores 2 --numa
# time: 600
# only: full
#
# In mode timed distance takes time, and only that: by a guest's own clock a read of its
# disk takes longer from the other socket than beside dom0, and the same in each round.
# A price could be lost
# on its way to a pCPU's clock, be charged to another pCPU, or time could jump.

. /usr/lib/box/tap.sh
. /usr/lib/box/timed.sh

# at_least FACTOR A B: A is at least FACTOR times B
at_least()
{
    awk -v factor="$1" -v a="$2" -v b="$3" 'BEGIN {
        ok = b > 0 && a >= factor * b
        if (!ok) print a " is not " factor " times " b
        exit !ok }'
}

begin=$(cut -d ' ' -f 1 /proc/uptime)
sleep 2
end=$(cut -d ' ' -f 1 /proc/uptime)
check "sleep 2 takes 2 s" within 5 "$(calc "$end - $begin")" 2

check "a guest with a disk" start_reader reader 1
dom0_on_pcpu_0

# places: medians at three of them, in ns
places()
{
    local pcpu

    for pcpu in 0 1 2; do
        xl vcpu-pin reader 0 "$pcpu" all
        read_times reader | awk '{ printf "%s ", $3 }'
    done
}
first=$(places)
second=$(places)
echo "# ns of a read on dom0's pCPU, in its cache, on the other socket: $first; $second"
# shellcheck disable=SC2086 # three numbers
set -- $first $second
check "the other socket takes 1.4 times as long as the same cache at least" \
    at_least 1.4 "$3" "$2"
check "another pCPU takes longer than dom0's own" at_least 1.1 "$2" "$1"
check "the second round says the same: dom0's pCPU" within 2 "$4" "$1"
check "the same cache" within 2 "$5" "$2"
check "the other socket" within 2 "$6" "$3"

# measured FUNCTION: of the regions of reads, in a program of awk that has v["key"]
measured()
{
    grep '"region": 62,' "$RESULTS/machine.jsonl" | tr -d '{}"' | awk -F ', ' '
        { for (i = 1; i <= NF; i++) { split($i, word, ": "); v[word[1]] = word[2] } '"$1"
}
note "$(measured 'n += v["instructions"]; if (v["pcpu"] == 0) ms += v["cpu_ms"] }
    END { printf "%.1f million instructions per second of CPU time", n / ms / 1000 }')"
lead=$(measured 'if (v["lead_ns"] > lead) lead = v["lead_ns"] } END { print lead }')
note "a pCPU was at most $lead ns ahead of another busy one"
# at_most MOST NUMBER
at_most() { awk -v most="$1" -v n="$2" 'BEGIN { exit !(n > 0 && n <= most) }'; }
check "no busy pCPU is a quantum of 1000 ns ahead of another" at_most 1000 "$lead"

guest stop reader
finish
