#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4 --llcs 2 --numa --dom0-vcpus 1
# arm64: --mode exact --sockets 1 --cores 4 --llcs 2
# time: 300
#
# On a host that reports last-level caches of two cores each, the daemon finds them without
# configuration, and moves a guest to its back end's cache, where it runs.  Fails if the daemon takes
# a socket for one cache.
#
# On x86, QEMU's emulation has Intel's CPUID leaf only; unit tests cover AMD's.  On arm64, the caches
# are in the device tree.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

if on_arm64; then
    sockets=1 guest=paced
    # The operator's list is that of clusters.sh.
    daemon_settings=${daemon_settings% --llc *}
else
    sockets=2 guest=disk
fi
caches=$((2 * sockets))

is "Xen sees the sockets" "$(xl info -n 2>/dev/null | sed -n 's/^nr_nodes *: //p')" $sockets

# dom0 runs on the second cache of its socket: the socket alone would be too wide.  The guest begins
# on the first one.
xl vcpu-pin 0 all 2-3
guest start $guest name=disk
xl vcpu-pin disk all 0-1
start_daemon --mode observe
check "the host reports $caches last-level caches" \
    until_true 10 sh -c "xensched status | grep '^last caches *$caches$'"
check "a disk guest runs on another cache than its back end" until_true 20 runs_at disk 0-1 2
stop_daemon TERM

xl vcpu-pin disk all all
start_daemon --mode act
check "the daemon moves it to the cache of its back end" until_true 60 soft_is disk 2-3
check "where it runs, according to the log" until_true 20 runs_at disk 2-3 2
xensched explain disk | sed 's/^/# /'
stop_daemon TERM
finish
