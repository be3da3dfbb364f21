#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --sockets 2 --cores 2 --numa --dom0-vcpus 2
# only: full
# time: 360
#
# dom0 has a vCPU on each node, and so no place of its own.  The policy placement moves a guest to
# the vCPU of dom0 that serves it, and it runs there: at most half as many of dom0's notifications
# cross nodes as before.  When the other vCPU serves it, it follows.  Fails if Xen is not asked, if
# channels of xenstored or of the console count as the disk's, or if a move has no effect.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/serving.sh
stopped=

# afar SOCKET: percentage of dom0's notifications that were sent on the other socket
afar()
{
    record_ran 4 && from_afar disk "$1"
}

xl vcpu-pin Domain-0 0 0-1
xl vcpu-pin Domain-0 1 2-3
# The guest starts on the socket without its back end.
guest start paced name=disk cpus=0-1
serve_on 1
is "one thread serves the guest" "$(serving_threads | wc -l)" 1
xl vcpu-pin disk all all all

start_daemon --mode act --policies placement --stay 2000
is "the daemon starts" "$?" 0
before=$(afar 0)
check "the guest is moved to the vCPU that serves it" until_true 60 soft_is disk 2-3 ||
    xensched explain disk
check "and runs there" until_true 20 runs_at disk 2-3
xensched explain disk >explain.txt
sed 's/^/# /' explain.txt
check "the reason names the vCPU" grep -q 'with vCPU 1 of Domain-0' explain.txt
after=$(afar 1)
check "at most half as many notifications cross nodes as before" at_most_half "$after" "$before"
note "from the other node: $after % of dom0's notifications, before $before %"

serve_on 0
check "the guest follows the vCPU that serves it now" until_true 90 soft_is disk 0-1
check "and runs there, too" until_true 20 runs_at disk 0-1
xensched explain disk | sed 's/^/# /'
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
finish
