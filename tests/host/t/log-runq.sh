#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The length of a pCPU's run queue, as each scheduler has it, is how many vCPUs
# want that pCPU: guests that spin share one which is a cpupool of its own.  It
# is sampled on all pCPUs, 100 times per second.
#
# A boot of its own, since it ends with a pCPU that can't be given back: Xen
# 4.20 panics when an rtds pool loses its last one, also without the log.
#
# box: --sockets 2 --cores 2
# time: 300

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh
. /usr/lib/box/pool.sh

sample()
{
    log_set_up 1048576
    schedlog-area route 1 runq 0
    logging runq sleep "$1"
}

# in_pool SCHEDULER SPINNER...: pCPU 3 gets this scheduler, and these.
in_pool()
{
    local scheduler="$1" guest mean

    shift
    check "$scheduler: a cpupool with it" xl cpupool-create \
        "name='$scheduler'" "sched='$scheduler'" "cpus=['3']"
    for guest; do
        to_pool "$guest" "$scheduler"
    done
    sample 1
    mean=$(awk '$1 == 3 { sum += $5; n++ } END { print sum / n }' log.rows)
    check "$scheduler: $# spin, the run queue's length is $#" \
        between $(($# - 1)).8 $#.2 "$mean"
    for guest; do
        to_pool "$guest" Pool-0
    done
    [ "$scheduler" = rtds ] || xl cpupool-destroy "$scheduler"
}

xl vcpu-pin Domain-0 all 0-1
guest start computing name=spinner &
guest start computing name=rival &
wait
xl pause spinner
xl pause rival

sample 2
# A pCPU that has to wait itself misses some.
for cpu in 0 1 2 3; do
    check "pCPU $cpu: its run queue is sampled 100 times per second" \
        between 60 101 "$(awk -v cpu=$cpu -v khz="$(log_info tsc_khz)" '
            $1 == cpu && !rows { first = $6 }
            $1 == cpu { rows++; last = $6 }
            END { print (rows - 1) / (last - first) * khz * 1000 }' log.rows)"
done
is "nobody is charged for it" "$(rows runq 1 none)" "$(wc -l <log.rows)"

xl unpause spinner
xl unpause rival
xl cpupool-cpu-remove Pool-0 3
in_pool credit2 spinner rival
in_pool credit spinner rival
in_pool null spinner
in_pool rtds spinner rival
schedlog-area release
finish
