#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --machine small2 --mode exact --sockets 2 --cores 4 --numa --xen-append dom0_nodes=0
# time: 600
# only: full
#
# The machine model counts correctly: accesses whose lines are in a known place, through QEMU, Xen
# and a PV kernel.  Fails if it uses other addresses than a processor would, confuses nodes, loses
# counts while QEMU discards translations, or counts accesses outside of marks.

. /usr/lib/box/tap.sh
. /usr/lib/box/machine.sh

loads=400000

# near_ns REGION PCPU LOADS KEY: checks that the modelled time of a load is that of the description,
# plus three instructions of the loop.  The shortest of several measurements counts, because an
# interrupt only adds time.
near_ns()
{
    local ns

    ns=$(grep "\"region\": $1, .*\"pcpu\": $2, " "$RESULTS/machine.jsonl" |
        tr -d '{}"' | awk -F ', ' \
        -v per="$(machine_says cpi) $(machine_says ghz)" -v loads="$3" \
        -v costs="$(for key in l2 llc same_llc same_socket other_socket \
                               dram_local dram_remote; do
                        echo "$key $(machine_says ${key}_ns)"
                    done | tr '\n' ' ')" '
        BEGIN { n = split(costs, c, " "); split(per, p, " ") }
        { for (i = 1; i <= NF; i++) { split($i, word, ": "); v[word[1]] = word[2] }
          ns = v["instructions"] * p[1] / p[2]
          for (i = 1; i < n; i += 2) ns += v[c[i]] * c[i + 1]
          if (least == "" || ns < least) least = ns }
        END { print least / loads }')
    within 2 "$ns" "$(calc "$(machine_says "$4") + 3 * $(machine_says cpi) / $(machine_says ghz)")"
}

# chases REGION KIB COUNT: checks that all but 2 % of the loads find their line there, in the last
# of three measurements
chases()
{
    for _ in 1 2 3; do
        chase ring "$1" 0 "$2" $loads >/dev/null || return
    done
    within 2 "$(counted "$1" 0 "$3")" $loads
}

xl vcpu-pin Domain-0 0 0 all
xl vcpu-pin Domain-0 1 1 all

check "16 KiB are found in the L1" chases 1 16 l1
check "64 KiB in the L2" chases 2 64 l2
check "a load of them takes what the description says" \
    near_ns 2 0 $loads l2_ns
check "768 KiB in the last-level cache" chases 3 768 llc
check "a load of them takes what the description says" \
    near_ns 3 0 $loads llc_ns
check "no other pCPU took part" \
    test "$(counted 3 2 instructions)" -lt 100000

# A guest whose memory is all on node 1: Xen gives no guest the first GiB, which is node 0 here,
# while there is other memory.  (dom0 has some of both.)
check "a guest with memory of node 1" guest start obedient name=far cpus=4-7

# cold REGION PCPU COUNT: loads 4 MiB that no cache has
lines=65536
cold()
{
    xl vcpu-pin far 0 "$2"
    in_guest far "chase cold $1 0 4096" >/dev/null
    within 2 "$(counted "$1" "$2" "$3")" $lines
}
check "4 MiB that no cache has come from this node's memory" cold 4 4 dram_local
check "a load of them takes what the description says" \
    near_ns 4 4 $lines dram_local_ns
check "from the other socket it comes from the other node's" cold 5 0 dram_remote
check "a load of them takes what the description says" \
    near_ns 5 0 $lines dram_remote_ns

copy()
{
    xl vcpu-pin far 0 4
    in_guest far "chase copy 9 0 4096" >/dev/null
    within 2 "$(counted 9 4 dram_local)" $((2 * lines))
}
check "a copy has its source and what it writes from memory" copy
check "changed lines that no cache can keep are written back" \
    test "$(counted 9 4 writebacks)" -gt $((lines / 4))

# In turn, each process reads whose turn it is, writes the other line, and then the turn, so both
# lines alternate between the two pCPUs.
# turns REGION PCPU DISTANCE
turns()
{
    local n

    xl vcpu-pin Domain-0 1 "$2" all
    n=$(chase turns "$1" 0 1 20000 | cut -d ' ' -f 1)
    within 2 "$(($(counted "$1" 0 "$3") + $(counted "$1" "$2" "$3")))" \
        $((2 * n)) &&
        within 2 "$(($(counted "$1" 0 "upgrade_$3") +
                             $(counted "$1" "$2" "upgrade_$3")))" "$n"
}
check "two lines go back and forth between cores of a cache" turns 6 1 same_llc
check "between caches of a socket" turns 7 2 same_socket
check "between sockets" turns 8 4 other_socket

before=$(wc -l <"$RESULTS/machine.jsonl")
chase ring 0 0 16 1000 >/dev/null
region 0
region 0
is "no region, no counts: the warm-up only" \
    "$(tail -n +$((before + 1)) "$RESULTS/machine.jsonl" |
       grep -vc '"region": 63, ')" 0

finish
