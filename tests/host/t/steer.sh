#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 2 --numa --dom0-vcpus 2
# only: full
# time: 500
#
# dom0 is on both nodes, and serves the disk of a guest on each.  With "steer" the threads of
# xen-blkback run on dom0's vCPU on the guest's node, so at most half as many notifications from
# dom0 cross nodes; after a kill the next daemon restores the threads.  Interrupts stay where they
# are.  Fails if Linux does not let the daemon move threads, if it moves the wrong guest's, or if
# the work does not follow the threads.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/serving.sh
stopped=

# Prints "KIND NUMBER VCPUS" of everything that serves disks.
workers()
{
    local number

    for number in $(serving_threads); do
        echo "$(cat "/proc/$number/comm") $(taskset -p "$number" | sed 's/.* //')"
    done
    for number in $(serving_irqs); do
        echo "irq $number $(cat "/proc/irq/$number/smp_affinity_list")"
    done
}

# thread_on GUEST MASK: MASK is taskset's for its vCPUs
thread_on()
{
    workers | grep -q "^$(domid "$1")\.xvda-0 $2\$"
}

# both: prints the mean of both guests
both()
{
    record_ran 4
    left=$(from_afar left 0) right=$(from_afar right 1)
    echo "$left $right" | awk '{ printf "%.1f\n", ($1 + $2) / 2 }'
    note "from the other node: to left $left %, to right $right %"
}

xl vcpu-pin Domain-0 0 0-1
xl vcpu-pin Domain-0 1 2-3
guest start paced name=left cpus=0-1 &
guest start paced name=right cpus=2-3 &
wait
# The state of a Linux without any settings.
serve_on 0
workers >before
sed 's/^/# /' before
is "each guest has a thread and an interrupt" "$(wc -l <before)" 4

start_daemon --mode act
is "the daemon starts" "$?" 0
free=$(both | head -n 1)
check "it leaves dom0 alone without steer" sh -c "! grep -q steer /var/log/xensched/journal.jsonl"
stop_daemon TERM

start_daemon --mode act --steer blkback
is "the daemon starts with steer" "$?" 0
check "the thread of the left guest is on dom0's vCPU there" until_true 30 thread_on left 1
check "the thread of the right guest is on the other vCPU" until_true 30 thread_on right 2
workers >steered
sed 's/^/# /' steered
is "interrupts stay where they were" "$(grep '^irq' steered)" "$(grep '^irq' before)"
steered=$(both | head -n 1)
check "at most half as many notifications cross nodes" at_most_half "$steered" "$free"
note "from the other node: $steered % of dom0's notifications, before $free %"
check "the journal says what went where" grep -q '"what":"steer".*"from_vcpus":"0".*"to_vcpus":"1"' /var/log/xensched/journal.jsonl

stop_daemon KILL
workers >now
check "after a kill threads stay" cmp steered now
start_daemon --mode advise
is "the next daemon starts" "$?" 0
workers >after
check "and restores threads and interrupts" cmp before after
check "nothing is left on the disk" test ! -e /var/lib/xensched/steered.json
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
finish
