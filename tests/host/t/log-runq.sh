#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# only: full
#
# The length of a pCPU's run queue, under each scheduler, is the number of vCPUs that want that
# pCPU: guests that spin share a pCPU, which is a cpupool of its own.  Rows name the queue: all
# pCPUs of a shared queue have its length, under the name of the first of them.  (log-runq-rate.sh
# tests how often rows come.)
#
# The host needs a boot of its own, because it ends with a pCPU that cannot be returned: Xen 4.20
# panics when an rtds pool loses its last pCPU, also without the log.
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

# queues: prints the queue that the rows of each pCPU name
queues()
{
    awk '{ print $1 ":" int($5 / 65536) }' log.rows | sort -u | tr '\n' ' '
}

# in_pool SCHEDULER CPUS SPINNER...: makes a pool of these pCPUs with these guests
in_pool()
{
    local scheduler="$1" cpus="$2" cpu guest mean

    shift 2
    check "$scheduler: a cpupool is made" xl cpupool-create \
        "name='$scheduler'" "sched='$scheduler'" "cpus=['$(echo "$cpus" | sed "s/,/','/g")']"
    for guest; do
        to_pool "$guest" "$scheduler"
    done
    sample 1
    for cpu in $(echo "$cpus" | tr , ' '); do
        mean=$(awk -v cpu="$cpu" '
            $1 == cpu { sum += $5 % 65536; n++ } END { print sum / n }' log.rows)
        check "$scheduler: $# spin, the run queue's length on pCPU $cpu is $#" \
            between $(($# - 1)).8 $#.2 "$mean"
    done
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

# The queue of pCPU 2: on arm64 all pCPUs are in one socket.
second=2
! on_arm64 || second=0
sample 1
is "credit2: pCPUs of a socket name the same queue" "$(queues)" \
    "0:0 1:0 2:$second 3:$second "
xl unpause spinner
xl unpause rival
xl cpupool-cpu-remove Pool-0 3
in_pool credit2 3 spinner rival
in_pool credit 3 spinner rival
in_pool null 3 spinner
is "a pCPU that shares no run queue names itself" "$(queues)" \
    "0:0 1:0 2:$second 3:3 "
xl cpupool-cpu-remove Pool-0 2
in_pool rtds 2,3 spinner rival
is "rtds: one queue, and one name, for all of its pCPUs" "$(queues)" \
    "0:0 1:0 2:2 3:2 "
schedlog-area release
finish
