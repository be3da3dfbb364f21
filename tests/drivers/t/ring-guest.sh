#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: --sockets 2 --cores 2 --numa
# time: 240
#
# A guest logs the length of its run queues, and its workload makes marks in the hypervisor's log
# through a device, if it may.  Fails if a length is wrong, or if a mark is lost or forged.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/log.sh

modules=/lib/xensched

# lengths_of COMMANDS: prints the lengths while the guest runs them.
lengths_of()
{
    in_guest runner "echo lengths: \$(runq-count sh -c '$1')"
    guest output runner | sed -n "s/^lengths: //p" | tail -n 1
}

# lengths TASK...: the same for busy tasks, all of them on the one vCPU.
lengths()
{
    lengths_of "for task in $*; do spin 1 & done; wait"
}

# most LINE: prints the most frequent length.
most()
{
    echo "$1" | awk '$NF == 0 {
        for (i = 4; i < NF - 1; i++)
            if ($i > $(best + 4)) best = i - 4
        print best + 0 }'
}

console_begin
guest start obedient name=runner
check "the modules can be used in a guest" in_guest runner \
    "insmod $modules/xensched_log.ko && insmod $modules/xensched_guest.ko"

three=$(lengths 1 2 3)
five=$(lengths 1 2 3 4 5)
note "three busy tasks: $three"
note "five busy tasks: $five"
is "three busy tasks: mostly three are runnable" "$(most "$three")" 3
is "five busy tasks: mostly five are runnable" "$(most "$five")" 5
check "it goes on for as long as tasks take turns" \
    test "$(echo "$five" | awk '{ print $2 }')" -ge 20

# One task computes all the time, and one sleeps 100 times after it has used more than its share:
# then one is runnable, although Linux 6.12 keeps both on the queue.
# shellcheck disable=SC2016 # the guest's shell expands it
dozes=$(lengths_of 'spin 100 & doze 100 3 300 >/dev/null; kill $!')
note "one busy task, one that sleeps 100 times: $dozes"
check "a task that sleeps is not runnable" test "$(echo "$dozes" | awk '{ print $5 }')" -ge 90

log_set_up 65536
log_guest runner "$ONE"
check "no mark without permission" in_guest runner \
    "mark-device 7 1 2>&1 | grep -q 'Operation not permitted'"
schedlog-area mark "$(domid runner)" 1
logging mark in_guest runner "mark-device 77 50"
is "each code that was written is a mark" "$(rows mark "$ONE" any)" 54
schedlog-area release
check "the modules can be unloaded" in_guest runner \
    "rmmod xensched_guest && rmmod xensched_log"
guest stop runner
check "the consoles have no errors" console_quiet
finish
