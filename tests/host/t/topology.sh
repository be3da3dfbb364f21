#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The host has the sockets, cores and NUMA nodes that were asked for, as Xen
# sees them: QEMU's CPUID and SRAT could be such that Xen sees one big socket,
# and all tests of placement would then test nothing.

. /usr/lib/box/tap.sh

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
finish
