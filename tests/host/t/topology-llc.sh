#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4 --llcs 2 --numa --dom0-vcpus 1
# time: 300
#
# On a host whose processors report two last-level caches per socket, the daemon finds
# four caches of two cores each without configuration, and binds a guest to its back
# end's.  Fails if the daemon takes a socket for one cache.
#
# QEMU's emulation has Intel's CPUID leaf only; unit tests cover AMD's.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

is "Xen sees two sockets" "$(xl info -n | sed -n 's/^nr_nodes *: //p')" 2
start_daemon --mode observe
check "the processors report four last-level caches" \
    until_true 10 sh -c 'xensched status | grep "^last caches *4$"'
stop_daemon TERM

# dom0 runs on the second cache of its socket: the socket alone would be too wide.
xl vcpu-pin 0 all 2-3
guest start disk
start_daemon --mode act
check "according to the log, a disk guest runs on the cache of its back end" \
    until_true 20 runs_at disk 2-3 2
xensched explain disk | sed 's/^/# /'
stop_daemon TERM
finish
