#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --sockets 2 --cores 2 --numa --dom0-vcpus 2
# only: full
# time: 360
#
# dom0 has a vCPU on each node, so that it is nowhere in particular; the policy
# placement sends a guest to that vCPU of dom0's which takes its requests, and it runs
# there, so that at least half of dom0's notifications which crossed nodes do not any more.
# When the other vCPU takes its requests, it follows.  Fails if Xen is not asked, if channels
# of xenstored and of the console are taken for its disk's, or if a move has no effect.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/serving.sh
stopped=

# afar SOCKET: percent of what dom0 sent it was sent on the other one
afar()
{
    record_ran 4 && from_afar disk "$1"
}

xl vcpu-pin Domain-0 0 0-1
xl vcpu-pin Domain-0 1 2-3
# It begins where no back end serves it.
guest start paced name=disk cpus=0-1
serve_on 1
is "there is a thread that serves it" "$(serving_threads | wc -l)" 1
xl vcpu-pin disk all all all

start_daemon --mode act --policies placement --stay 2000
is "the daemon starts" "$?" 0
before=$(afar 0)
check "it is sent to the vCPU that serves it" until_true 60 soft_is disk 2-3 ||
    xensched explain disk
check "and runs there" until_true 20 runs_at disk 2-3
xensched explain disk >explain.txt
sed 's/^/# /' explain.txt
check "the reason says which vCPU" grep -q 'with vCPU 1 of Domain-0' explain.txt
after=$(afar 1)
check "at least half of what crossed nodes does not any more" at_most_half "$after" "$before"
note "from the other node: $after % of dom0's notifications, before $before %"

serve_on 0
check "it goes where it is served now" until_true 90 soft_is disk 0-1
check "and runs there, too" until_true 20 runs_at disk 0-1
xensched explain disk | sed 's/^/# /'
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
finish
