#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 2 --numa --dom0-vcpus 2
# only: full
# time: 500
#
# dom0 is on both nodes, and serves the disk of a guest on each.  With "steer" the
# threads of xen-blkback are on dom0's vCPU of the guest's node, so at least half of the
# notifications from dom0 that crossed nodes do not any more; a killed daemon's are put
# back by the next one.  Interrupts stay where they are.  Fails if Linux does not let
# threads be moved, if the wrong guest's are, or if moving them does not move the work.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/serving.sh
stopped=

# "KIND NUMBER VCPUS" of all that serves disks.
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

# thread_on GUEST MASK: so taskset calls its vCPUs
thread_on()
{
    workers | grep -q "^$(domid "$1")\.xvda-0 $2\$"
}

# both: the same of both guests together, half each
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
# As on a Linux without any settings.
serve_on 0
workers >before
sed 's/^/# /' before
is "there are a thread and an interrupt for each guest" "$(wc -l <before)" 4

start_daemon --mode act
is "the daemon starts" "$?" 0
free=$(both | head -n 1)
check "it leaves dom0 alone unless it is told to" sh -c "! grep -q steer /var/log/xensched/journal.jsonl"
stop_daemon TERM

start_daemon --mode act --steer blkback
is "it starts again, to steer" "$?" 0
check "the thread of the left guest is on dom0's vCPU there" until_true 30 thread_on left 1
check "the thread of the right guest is on the other vCPU" until_true 30 thread_on right 2
workers >steered
sed 's/^/# /' steered
is "interrupts stay where they were" "$(grep '^irq' steered)" "$(grep '^irq' before)"
steered=$(both | head -n 1)
check "at least half of what crossed does not any more" at_most_half "$steered" "$free"
note "from the other node: $steered % of dom0's notifications, before $free %"
check "the journal says what went where" grep -q '"what":"steer".*"from_vcpus":"0".*"to_vcpus":"1"' /var/log/xensched/journal.jsonl

stop_daemon KILL
workers >now
check "a killed daemon leaves it so" cmp steered now
start_daemon --mode advise
is "the next one starts" "$?" 0
workers >after
check "threads and interrupts are where they were" cmp before after
check "nothing is left on the disk" test ! -e /var/lib/xensched/steered.json
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
finish
