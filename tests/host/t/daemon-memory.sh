#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4 --numa
# time: 300
# only: full
#
# The location of memory has a price: a guest that reads from dom0's disk and has its memory on the
# other node stays there if its memory saves more than dom0 would, and its reason has both prices;
# with few cache misses it is moved.  Fails if the daemon does not find the memory, or does not
# weigh it.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

explains() { xensched explain disk | tr -s '\n ' ' ' | grep "$1"; }

# dom0 is bound to the node without the guest's memory, which Xen chose.
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
check "the reason has the price of its memory" \
    until_true 60 explains 'costs [0-9.]* ms/s (100 % of its memory is on node '"$home"
check "and what it would save near dom0" \
    explains 'saves [0-9.]* ms/s ([0-9]* notifications/s and [0-9]* pages/s with Domain-0'
xensched explain disk | sed 's/^/# /'
check "status has the node that Xen says" sh -c \
    "xensched status | grep '^disk .* node $home 100 %'"
sleep 10
check "the guest stays with its memory" test "$(journal_has move disk | wc -l)" = 0
stop_daemon TERM

start_daemon --mode act --policies placement --misses 1
is "the daemon starts again" "$?" 0
check "with few misses it is moved to dom0" until_true 60 soft_is disk "$near"
check "and runs there, according to the log" runs_near disk
xensched explain disk | sed 's/^/# /'
stop_daemon TERM
affinities >after
check "every affinity is as before" cmp before after
finish
