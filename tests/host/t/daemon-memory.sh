#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4 --numa
# time: 300
# only: full
#
# Where the memory of guests is, is a price: a guest that reads from dom0's disk and has
# its memory on the other node stays there when that is worth more than being near
# dom0, and says both prices; when it misses its caches seldom it goes.  Fails if
# the daemon does not find where memory is, or does not weigh it.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

explains() { xensched explain disk | tr -s '\n ' ' ' | grep "$1"; }

# dom0 goes to the other node than the guest's memory, wherever Xen has put that.
guest start paced name=disk
schedlog-area owners 1 | awk -v domid="$(domid disk)" '$1 == domid' >where
sed 's/^/# disk: domain, node, pages: /' where
is "all memory of the disk guest is on one node" "$(wc -l <where)" 1
home=$(cut -d' ' -f2 where)
[ "$home" = 1 ] || near=4-7
xl vcpu-pin Domain-0 all "${near:?}"
affinities >before

start_daemon --mode act --policies placement --misses 100000
is "the daemon starts" "$?" 0
check "the reason has what its memory would cost" \
    until_true 60 explains 'costs [0-9.]* ms/s (100 % of its memory is on node '"$home"
check "and what it would save beside it" \
    explains 'saves [0-9.]* ms/s ([0-9]* notifications/s and [0-9]* pages/s with Domain-0'
xensched explain disk | sed 's/^/# /'
check "status has the node that Xen says" sh -c \
    "xensched status | grep '^disk .* node $home 100 %'"
sleep 10
check "the guest stays home" test "$(journal_has move disk | wc -l)" = 0
stop_daemon TERM

start_daemon --mode act --policies placement --misses 1
is "the daemon starts again" "$?" 0
check "with few misses it goes to dom0" until_true 60 soft_is disk "$near"
check "and runs there, by the log" runs_near disk
xensched explain disk | sed 's/^/# /'
stop_daemon TERM
affinities >after
check "every affinity is as before" cmp before after
finish
