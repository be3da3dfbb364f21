#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Xen sees the requested sockets, cores and NUMA nodes, and the last-level caches as far as they are
# known.  QEMU's CPUID and SRAT could make Xen see one large socket; then no test of placement would
# test anything.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

info=$(xl info -n)

# field NAME
field()
{
    echo "$info" | sed -n "s/^$1 *: //p"
}

topology=$(echo "$info" | sed -n 's/^ *\([0-9]*\): *\([0-9]*\) *\([0-9]*\) *\([0-9]*\)$/\1:\2:\3:\4/p' |
           tr '\n' ' ')

is "four pCPUs" "$(field nr_cpus)" 4
is "two NUMA nodes" "$(field nr_nodes)" 2
is "two cores per socket" "$(field cores_per_socket)" 2
is "one thread per core" "$(field threads_per_core)" 1
is "pCPU:core:socket:node" "$topology" "0:0:0:0 1:1:0:0 2:0:1:1 3:1:1:1 "

# llcs: prints the daemon's result.
llcs()
{
    xensched status | sed -n 's/^last caches *//p'
}

# These emulated processors report no caches; those of topology-llc.sh do.
start_daemon --mode observe
is "the last-level caches are taken to be the sockets'" "$(llcs)" \
    "2: not known, taken as the socket's"
stop_daemon TERM

start_daemon --mode observe --llc 0/1
is "the operator's list comes first" "$(llcs)" "3, by the configuration"
stop_daemon TERM

xenschedd --llc 0-1/2,1 >wrong 2>&1
is "a pCPU in two caches is refused" "$?:$(grep -c "does not take" wrong)" 2:1
xenschedd --llc 1-2 >wrong 2>&1
is "a cache of two sockets is refused" \
    "$?:$(grep -c "on sockets 0 and 1" wrong)" 1:1
cat wrong
finish
