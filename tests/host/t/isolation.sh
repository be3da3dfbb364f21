#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 3
# box: --mode exact --sockets 1 --cores 3 --dom0-vcpus 1
# time: 300
# only: full
#
# A guest has a pCPU for itself and works every 20 ms, as cyclictest does.  The test breaks its
# isolation in five ways, one after the other.  Each time the guest itself measures an outlier,
# and the commands of docs/operate/isolation.md name the cause.

. /usr/lib/box/tap.sh
. /usr/lib/box/pcpu.sh
. /usr/lib/box/daemon.sh

# shellcheck disable=SC2034 # for start_daemon
daemon_settings=
events=service-ns,wake-delay,preempt-delay,wait-part,migrate,evtchn-send,off-cpu,hypercall-time,irq-time

# outlier NAME CYCLES WORK_US COMMAND...: the command runs while rt works CYCLES times for WORK_US.
# "worst" has the causes that xensched names.
outlier()
{
    name=$1 times=$2 work=$3
    shift 3
    in_guest rt "cyclic $times 20000 $work" &
    cycles=$!
    # What the program's start costs is no outlier.
    sleep 1
    xensched record --seconds 60 "$RESULTS/$name.rows" 2>/run/said &
    recorder=$!
    sleep 1
    "$@"
    sleep 0.5
    kill -INT $recorder
    wait $recorder || cat /run/said
    late=0
    wait $cycles && late=$(guest output rt | sed -n 's/^late \([0-9]*\) us.*/\1/p' | tail -n 1)
    note "$name: the guest was late by $late us"
    xensched latency --worst 100 "$RESULTS/$name.rows" rt >"$RESULTS/$name.worst" 2>/run/said
    check "$name: the guest measures it" test "$late" -gt $((10 * quiet))
}

# One thread emulates all pCPUs in turn.  A pCPU often waits for its turn in Xen's timer
# softirq, so the work of another pCPU at the same time looks like that.
causes() { grep '^cause: ' "$RESULTS/$name.worst" | grep -v 'mostly softirq-timer'; }

# is_named CAUSE: whether the first cause begins like this
is_named()
{
    sed 's/^/# /' "$RESULTS/$name.worst" | head -n 30
    causes | head -n 1 | grep "^cause: $1"
}

# has_interrupts REASON: whether these caused the first and longest delay
has_interrupts()
{
    head -n 12 "$RESULTS/$name.worst" | sed 's/^/# /'
    sed -n 2p "$RESULTS/$name.worst" | grep '^cause: interrupts on pCPU 1,' &&
        head -n 12 "$RESULTS/$name.worst" | grep "irq-time.*$1"
}

# why_has_the_same: whether "why", for the time of the first cause, prints the same lines
why_has_the_same()
{
    local at

    at=$(grep -B 1 "^$(causes | head -n 1)" "$RESULTS/$name.worst" |
        sed -n '1s/.* from \([0-9.]*\) s.*/\1/p')
    xensched why "$RESULTS/$name.rows" rt --at "$at" 2>/run/said | head -n 3 >"$RESULTS/$name.why"
    grep -A 4 " from $at s" "$RESULTS/$name.worst" | sed -n 3,5p | diff - "$RESULTS/$name.why"
}

beside()
{
    xl vcpu-pin Domain-0 0 1
    "$@"
    xl vcpu-pin Domain-0 0 0
}

hotplug()
{
    for cpu in 1 2 1; do
        pcpu_off $cpu
        sleep 1.207
        pcpu_on $cpu
        sleep 0.2
    done
}

# many KEY NUMBER: prints the key NUMBER times, for one hypercall that Xen does not interrupt.
many()
{
    printf "%${2}s" "" | tr ' ' "$1"
}

guest start obedient name=rt cpus=1
xl vcpu-pin Domain-0 all 0
start_daemon --mode observe --log "$events"
is "the daemon starts" "$?" 0
xensched check >"$RESULTS/check"
# The guest is still busy with its start during the first one.
in_guest rt "cyclic 150 20000 4000"
for _ in 1 2 3; do in_guest rt "cyclic 50 20000 4000"; done
quiet=$(guest output rt | sed -n 's/^late \([0-9]*\) us.*/\1/p' | sort -n | head -n 1)
note "without any of these the guest was late by $quiet us"

outlier dom0 150 4000 beside spin 0.3
check "$name: it is named" is_named "Domain-0 had pCPU 1"
check "$name: why has the same" why_has_the_same

xl sched-credit2 -d rt -c 10
outlier budget 150 4000 true
check "$name: it is named" is_named "its budget was used up"
check "$name: why has the same" why_has_the_same
xl sched-credit2 -d rt -c 0

outlier hypercall 150 4000 beside xl debug-keys "$(many r 150)"
check "$name: it is named" is_named "hypercalls of Domain-0, mostly sysctl"
check "$name: why has the same" why_has_the_same

outlier storm 150 4000 xl debug-keys "$(many d 150)"
check "$name: it is named" has_interrupts other

xl vcpu-pin rt all 1-2
outlier hotplug 350 18500 hotplug
# A move while rt sleeps delays it by microseconds only.
xensched latency --worst 10000 "$RESULTS/$name.rows" rt >"$RESULTS/$name.worst" 2>/run/said
is "$name: rt leaves three pCPUs, and each time this is named" \
    "$(causes | grep -c "it had to leave pCPU [12]")" 3
check "$name: why has the same" why_has_the_same
stop_daemon TERM
finish
