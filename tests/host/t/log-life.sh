#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 1 --cores 2 --parallel
# only: full
# time: 1200
#
# An area exists whole or not at all, whatever happens while it is made: a request for more than is
# allowed, the failure of any allocation (on a hypervisor with CONFIG_DEBUG, which can be told to
# fail), pCPUs that come and go, leases that end, a caller that asks all the time.  Fails if a
# failed set-up keeps memory or blocks the next one, or if set-up, lease, hotplug, info and release
# change the same data at the same time.
#
#   tests/host/debug.sh log-life

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/log.sh
. /usr/lib/box/talk.sh

used()
{
    log_info used_bytes
}

budget()
{
    is "more than is allowed on all pCPUs, but not on each" \
        "$(schedlog-area setup 16 16777216x8)" "setup: E2BIG"
    is "nothing of it is left" "$(used) $(log_info nr_cpus)" "0 0"
    check "and less is accepted" schedlog-area setup 16 65536
    schedlog-area release
    is "the memory of the smaller area is freed" "$(used)" 0
}

fail_at()
{
    xenhypfs write /params/schedlog_fail "$1"
}

# set_up_failing N: prints the result of set-up; the area is released again
set_up_failing()
{
    fail_at "$1"
    schedlog-area setup 16 4096x3 65536 && echo made
    fail_at 0
}

# Counts in "failures".
fail_each_of_set_up()
{
    failures=0
    while [ $failures -lt 500 ]; do
        said=$(set_up_failing $((failures + 1)))
        [ "$said" = "setup: ENOMEM" ] || break
        failures=$((failures + 1))
        [ "$(used) $(log_info nr_cpus)" = "0 0" ] || return 1
    done
}

cpu1_online()
{
    xen-hptool cpu-online 1 >/dev/null
}

cpu1_offline()
{
    xen-hptool cpu-offline 1 >/dev/null
}

fail_each_of_hotplug()
{
    failures=0
    while [ $failures -lt 500 ]; do
        fail_at $((failures + 1))
        cpu1_online || return 1
        fail_at 0
        said=$(schedlog-area frames 1)
        [ "$said" = "frames: ENODEV" ] || break
        failures=$((failures + 1))
        cpu1_offline || return 1
    done
}

failing_allocations()
{
    fail_each_of_set_up
    is "each allocation of a set-up fails once: nothing is left" "$?" 0
    check "there were many ($failures)" test "$failures" -ge 30
    is "with none of them failing the area is made" "$said" made
    schedlog-area release
    is "its memory is freed" "$(used)" 0

    cpu1_offline
    schedlog-area setup 16 4096
    schedlog-area register all full
    schedlog-area route 1 runq 0
    fail_each_of_hotplug
    is "each allocation for a pCPU that comes fails once: it comes without" \
        "$?" 0
    check "there were some ($failures)" test "$failures" -ge 15
    # A log buffer of a page holds the rows of only a second.
    schedlog-area events runq
    sleep 1
    check "with none of them failing it logs, with the registers of the others" \
        test "$(schedlog-area rows 0 2>/dev/null | grep -c ^1)" -gt 5
    schedlog-area events

    cpu1_offline
    schedlog-area release
    schedlog-area setup 16 4096
    fail_at 1
    cpu1_online
    is "a pCPU without an area" "$(schedlog-area frames 1)" "frames: ENODEV"
    check "gets one by the same set-up" schedlog-area setup 16 4096
    check "then" test "$(schedlog-area frames 1 | wc -l)" -gt 0
    schedlog-area release
    is "all memory is freed" "$(used)" 0
}

# again WHAT COMMAND...: repeats it until the end, counted in the file WHAT
again()
{
    local what="$1" n=0

    shift
    while [ ! -f stop ]; do
        "$@" >/dev/null 2>&1
        n=$((n + 1))
        echo $n >"$what"
    done
}

cycle_pcpu()
{
    cpu1_offline
    cpu1_online
    usleep 100000
}

# Ends at once, so the lease ends 100 ms later.
short_lease()
{
    schedlog-lease hold 100 0
    usleep 150000
}

make_and_give_up()
{
    schedlog-area release
    schedlog-area setup 16 4096x7 1048576
    schedlog-area events service-ns memory runq
    schedlog-area events
}

# enough CYCLES LEASES ASKED MADE: whether there have been as many of each
enough()
{
    [ "$(cat cycles)" -ge "$1" ] && [ "$(cat leases)" -ge "$2" ] &&
        [ "$(cat asked)" -ge "$3" ] && [ "$(cat made)" -ge "$4" ]
}

everything_at_once()
{
    local what

    for what in cycles leases asked made; do
        echo 0 >$what
    done
    again cycles cycle_pcpu &
    again leases short_lease &
    again asked schedlog-area info &
    again made make_and_give_up &
    check "there is enough of each" until_true 600 enough "$@"
    touch stop
    wait
    note "$(cat cycles) cycles of a pCPU, $(cat leases) leases," \
        "$(cat asked) times info, $(cat made) areas"
}

free_again()
{
    local tries=50

    until schedlog-area release && [ "$(used)" = 0 ]; do
        [ $((tries -= 1)) -gt 0 ] || return 1
        usleep 100000
    done
}

console_begin
before=$(xl info free_memory)
budget
if xenhypfs cat /params/schedlog_fail >/dev/null 2>&1; then
    failing_allocations
    xl dmesg -c >/dev/null # messages about pCPUs without an area
else
    skip "failing allocations" "this hypervisor was built without CONFIG_DEBUG"
fi
if full; then
    everything_at_once 30 200 1000 200
else
    everything_at_once 5 20 50 20
fi
check "in the end all memory can be freed" free_again
sleep 1
check "and Xen has as much as before" test "$(xl info free_memory)" -ge $((before - 1))
is "a new set-up counts exactly" "$(count_pings 1000)" 1000
check "the consoles have no errors" console_quiet
finish
