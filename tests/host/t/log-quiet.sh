#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --machine small2 --mode exact --sockets 2 --cores 4 --numa --dom0-vcpus 2 --xen-append schedlog_max=320M
# only: full
# time: 900
#
# The log leaves pCPUs alone that it does not need.  Idle pCPUs wake up hardly more often while the
# daemon logs, and freeing 256 MiB of log, or turning events on, interrupts them far less than once
# per page.  Fails if idle pCPUs have a tick every 10 ms, or if Xen flushes TLBs for each page.
#
# The machine model counts how often a pCPU becomes idle (halts).

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/log.sh
. /usr/lib/box/machine.sh

seconds=10
# shellcheck disable=SC2034 # of daemon.sh: its defaults are the daemon's
daemon_settings=
pcpus=$(xl info nr_cpus)

# woken REGION COMMAND...: prints how often each idle pCPU wakes up during the command, on average.
# dom0 has the first two pCPUs.
woken()
{
    local region="$1" pcpu=2 sum=0

    shift
    region "$region"
    "$@" >/dev/null
    region 0
    while [ "$pcpu" -lt "$pcpus" ]; do
        sum=$((sum + $(counted "$region" "$pcpu" halts)))
        pcpu=$((pcpu + 1))
    done
    awk -v sum="$sum" -v pcpus=$((pcpus - 2)) 'BEGIN { printf "%.1f\n", sum / pcpus }'
}

# Xen frees what it can whenever a caller asks for information, and it stops charging for pages
# before it frees them.
is_free()
{
    [ "$(log_info used_bytes)" = 0 ] && [ "$(xl info free_memory)" -ge "$free_mb" ]
}

release_all()
{
    schedlog-area release
    until_true 20 is_free
}

all_events="service-tsc service-ns wake-delay evtchn-send evtchn-recv grant-map
    grant-unmap grant-copy memory runq migrate mark"

xl vcpu-pin Domain-0 0 0 all
xl vcpu-pin Domain-0 1 1 all
free_mb=$(($(xl info free_memory) - 1))

before=$(woken 1 sleep $seconds)
start_daemon
is "the daemon starts" "$?" 0
with=$(woken 2 sleep $seconds)
stop_daemon TERM
note "wake-ups of each of $((pcpus - 2)) idle pCPUs in $seconds s: $before without a" \
    "log, $with while the daemon logs its default events"
check "idle pCPUs wake up at most 4 times a second more while the daemon logs" \
    between 0 $((4 * seconds)) "$(calc "$with - $before")"

check "the daemon's log is freed" release_all
check "there is a log of 256 MiB" \
    schedlog-area setup 16 "$((268435456 / pcpus / 2))x2"
pages=$(($(log_info used_bytes) / 4096))
# shellcheck disable=SC2086 # several words
on=$(woken 3 schedlog-area events $all_events)
off=$(woken 4 schedlog-area events)
note "wake-ups of each idle pCPU while all events are turned on: $on; off: $off"
check "turning all events on and off interrupts an idle pCPU a few times" \
    between 2 20 "$(calc "$on + $off")"
freed=$(woken 5 release_all)
note "wake-ups of each idle pCPU while $pages pages are released: $freed"
check "Xen has the memory again" is_free
check "a release interrupts an idle pCPU once for many pages" \
    between 1 $((pages / 32)) "$freed"
finish
