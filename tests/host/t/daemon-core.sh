#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --sockets 2 --cores 2 --numa --dom0-vcpus 1
# only: full
# time: 300
#
# A guest moves to the pCPU of its back end.  dom0's only vCPU is bound to pCPU 0, and synthetic
# distances make lines between pCPUs expensive, so the guest that reads from dom0's disk is moved to
# dom0's node first, then to pCPU 0, and runs there; when dom0's vCPU may run on all of its node, the
# guest leaves pCPU 0 for the node; in the end all is restored.  Fails if credit2 runs the guest
# elsewhere in spite of the daemon, if the guest stays beside a back end that may go, or if an
# affinity is left.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs
stopped=
file=/var/lib/xensched/distances.json

xl vcpu-pin Domain-0 0 0 all
guest start paced name=disk
affinities >before
mkdir -p "${file%/*}"
echo '{"pcpus":4,"nodes":2,"line":{"llc":2000,"between":[[0,4000],[4000,0]]},
    "notification":{"between":[[0,0],[0,0]]},
    "memory":{"between":[[80,80],[80,80]]}}' >$file

start_daemon --mode act --policies placement --stay 2000
is "the daemon starts" "$?" 0
check "the disk guest is moved to dom0's node" until_true 40 soft_is disk "$near"
check "then to dom0's pCPU" until_true 60 soft_is disk 0
xensched explain disk >explain.txt
sed 's/^/# /' explain.txt
check "with a hard affinity, because a soft one has no effect" until_true 20 hard_is disk 0
check "and runs there" until_true 10 runs_at disk 0
check "the reason of the move has the price of sharing" \
    grep -q 'shares a core with its back end; they need' /var/log/xensched/journal.jsonl
xl vcpu-pin Domain-0 0 "$near" all
check "when dom0's vCPU is not bound to it, the guest leaves" until_true 30 soft_is disk "$near"
check "and may run on all pCPUs" until_true 10 hard_is disk all
check "it runs near dom0" runs_near disk
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
xl vcpu-pin Domain-0 0 0 all
affinities >after
check "every affinity is as before" cmp before after
finish
