#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: --sockets 2 --cores 2
# time: 240
# only: full
#
# A guest and dom0 log their threads.  Two threads that take turns record when they ran, and their
# kernel counts how often and why they stopped.  Fails if the rows differ from that, or if a thread
# has a wrong name.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh

modules=/lib/xensched
rounds=1000

# said KEY [N]: prints word N after KEY in the program's output.
said()
{
    awk -v key="$1" -v n="${2:-1}" '$1 == key { print $(n + 1) }' said.txt
}

at_least()
{
    echo "got $1, wanted $2 or more"
    [ "$1" -ge "$2" ]
}

# agrees WHERE: compares the log with said.txt.
agrees()
{
    is "$1: all rounds were done" "$(said rounds)" $rounds
    # One in 4000 was wrong once, of a vCPU that Xen moves between pCPUs.
    is "$1: the times of all rounds were recorded" "$(said notes)" $((4 * rounds))
    check "$1: a thread that records a time is running then, by the log" \
        at_least "$(said running)" $((4 * rounds - 4 * rounds / 1000))
    # A thread that continues at once after its wake-up gets its turn without waiting.
    check "$1: one wakes the other, in each round" \
        at_least "$(said woken)" $((rounds * 9 / 10))
    is "$1: no thread slept and ran again without having been woken" \
        "$(said unwoken)" 0
    is "$1: they blocked as often as the kernel counts" \
        "$(said voluntary 2)" "$(said voluntary)"
    is "$1: and were preempted as often" "$(said taken 2)" "$(said taken)"
    check "$1: they were preempted" at_least "$(said taken)" 1
    check "$1: waiting for a program to start is no mere sleep" \
        at_least "$(said disk-sleep)" 1
    is "$1: the program ends once" "$(said ended)" 1
    is "$1: the threads have their names" \
        "$(said names) $(said names 2) $(said names 3)" \
        "handover <i>hands back</"
    is "$1: so is their process" "$(said process)" 2
    is "$1: there are no other rows" "$(said others)" 0
}

console_begin
guest start obedient name=runner
check "the modules can be used in a guest" in_guest runner \
    "insmod $modules/xensched_log.ko && insmod $modules/xensched_guest.ko"
check "two threads hand over in a guest" in_guest runner "handover $rounds"
guest output runner >said.txt
agrees guest
check "the modules can be unloaded" in_guest runner \
    "rmmod xensched_guest && rmmod xensched_log"
guest stop runner

insmod $modules/xensched_log.ko
check "the module can be used in dom0" insmod $modules/xensched_guest.ko
check "two threads hand over in dom0" sh -c "handover $rounds >said.txt"
agrees dom0
check "the modules can be unloaded there" \
    sh -c "rmmod xensched_guest && rmmod xensched_log"
check "the consoles have no errors" console_quiet
finish
