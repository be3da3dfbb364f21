#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4 --dom0-vcpus 2
# box: --sockets 1 --cores 4
# time: 200
#
# A program maps pages of the log, and another thread of it turns events on and off, while the
# program is moved between cpusets and a CPU goes offline and online.  Fails if they deadlock: each
# takes two of Linux's mmap_lock, cpu_hotplug_lock and the lock of xensched_log.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh

cpu=/sys/devices/system/cpu/cpu1/online
sets=/run/cpusets

make_cpusets()
{
    mkdir -p $sets
    mount -t cgroup -o cpuset none $sets || return
    for set in one other; do
        mkdir $sets/$set
        cat $sets/cpuset.cpus >$sets/$set/cpuset.cpus
        cat $sets/cpuset.mems >$sets/$set/cpuset.mems
    done
}

has_ended()
{
    test -s /run/rounds
}

# Writes a line per round, to files, because any of them may hang.
move_program()
{
    until has_ended; do
        echo "$1" >$sets/one/cgroup.procs
        echo "$1" >$sets/other/cgroup.procs
        echo >>/run/moves
    done
}

take_cpu_away()
{
    until has_ended; do
        echo 0 >$cpu
        echo 1 >$cpu
        echo >>/run/hotplugs
    done
}

at_least()
{
    echo "$1, wanted $2 or more"
    [ "${1:-0}" -ge "$2" ]
}

console_begin
check "the modules replace those of the kernel" use_drivers
check "dom0 has cpusets" make_cpusets
: >/run/moves
: >/run/hotplugs
ring-try locks 20 >/run/rounds 2>&1 &
move_program $! 2>/dev/null &
take_cpu_away 2>/dev/null &
check "no process waits for ever" until_true 60 has_ended
note "$(cat /run/rounds)"
read -r mapped _ turned _ </run/rounds
check "pages were mapped" at_least "$mapped" 100
check "events were turned on" at_least "$turned" 5
check "the program was moved" at_least "$(wc -l </run/moves)" 20
check "the CPU went and came" at_least "$(wc -l </run/hotplugs)" 10
check "the consoles have no errors" console_quiet
finish
