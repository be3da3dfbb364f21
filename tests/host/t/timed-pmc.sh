#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --machine small2 --mode timed --sockets 2 --cores 4 --numa --xen-append dom0_nodes=0
# time: 600
# only: full
#
# In mode timed a pCPU has performance counters, so Xen's events pmc0 to pmc2 log what a
# guest really did: its cache misses are the machine model's, its cycles are the time that
# it ran, its instructions are those of its program.  A counter could be another pCPU's,
# lose what happened while the guest slept, or count stalls as instructions.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/log.sh
. /usr/lib/box/machine.sh
. /usr/lib/box/timed.sh

check "a guest alone on pCPU 4" guest start obedient name=chaser cpus=4
dom0_on_pcpu_0
is "Xen finds four counters" "$(log_info nr_pmcs)" 4
# Cache misses, instructions and cycles, of users and kernels.
start_daemon --mode observe --log service-ns,pmc0,pmc1,pmc2 \
    --pmc cache-misses,0x300c0,0x30076

# chase_of LOADS: through 4 MiB, twice what a last-level cache has; rows to rows-LOADS
chase_of()
{
    xensched record recording 2>/dev/null &
    usleep 300000
    in_guest chaser "chase ring 1 0 4096 $1" >/dev/null
    usleep 300000
    kill -INT $!
    wait $!
    xensched dump recording >"rows-$1"
}

# sum EVENT LOADS: of the guest's rows
sum()
{
    awk -v event="$1" '$3 == event && $4 == "chaser" { n += $6 } END { print n + 0 }' \
        "rows-$2"
}

# model_misses: of pCPU 4, in all regions so far
model_misses()
{
    grep '"pcpu": 4,' "$RESULTS/machine.jsonl" | tr -d '{}"' | awk -F ', ' '
        { for (i = 1; i <= NF; i++) { split($i, word, ": "); v[word[1]] = word[2] }
          n += v["reads"] + v["writes"] - v["l1"] - v["l2"] }
        END { print n + 0 }'
}

# What a program's first run does once is in none of the differences.
in_guest chaser "chase ring 1 0 4096 1000" >/dev/null
before=$(model_misses)
chase_of 200000
misses=$(($(model_misses) - before))
instructions=$(counted 1 4 instructions)
note "misses: $(sum pmc0 200000), of the model: $misses"
check "its misses are those that the model counts" \
    within 5 "$(sum pmc0 200000)" "$misses"
check "its cycles are the time that it ran" within 2 "$(sum pmc2 200000)" \
    "$(calc "$(sum service-ns 200000) * $(machine_says ghz)")"
chase_of 600000
check "400,000 loads more are as many misses more" within 5 \
    "$(($(sum pmc0 600000) - $(sum pmc0 200000)))" 400000
check "and as many instructions more as the model counts" within 5 \
    "$(($(sum pmc1 600000) - $(sum pmc1 200000)))" \
    "$(($(counted 1 4 instructions) - instructions))"

stop_daemon TERM
finish
