#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --machine small2 --mode timed --sockets 2 --cores 4 --numa --xen-append dom0_nodes=0
# time: 600
# only: full
#
# By a program's own clock, an access takes what the machine's description says. In mode
# timed a stall could be lost at the end of a turn, be charged twice, or to another pCPU;
# pCPUs that wait for each other's writes could see them too early or a quantum too late.

. /usr/lib/box/tap.sh
. /usr/lib/box/machine.sh

# instructions N: their time in ns
instructions()
{
    awk -v n="$1" -v cpi="$(machine_says cpi)" -v ghz="$(machine_says ghz)" \
        'BEGIN { print n * cpi / ghz }'
}

# per: of lines "DONE NS", the least ns for each. An interrupt in between can only add.
per()
{
    awk '{ ns = $2 / $1; if (least == "" || ns < least) least = ns } END { print least }'
}

# takes PROGRAM KEY [TIMES INSTRUCTIONS]: TIMES (1) times what the description says, and
# (three) instructions
takes()
{
    local ns wanted

    ns=$(for _ in 1 2 3; do eval "$1"; done | per)
    wanted=$(awk -v ns="$(machine_says "$2")" -v times="${3:-1}" \
        -v loop="$(instructions "${4:-3}")" 'BEGIN { print times * ns + loop }')
    echo "$1: $ns ns, expected $wanted" >>/tmp/figures
    within 3 "$ns" "$wanted"
}

xl vcpu-pin Domain-0 0 0 all
xl vcpu-pin Domain-0 1 1 all
check "a load from the L2" takes "chase ring 1 0 64 100000" l2_ns
check "from the last-level cache" takes "chase ring 2 0 768 100000" llc_ns

# All memory of this guest is node 1's (machine.sh has the reason).
check "a guest with memory of node 1" guest start idle name=far cpus=4-7 run='errand serve'
# in_far COMMAND: what it prints in the guest, after ticks, idle time and exit code
in_far()
{
    errand run "$(xl domid far)" "$1" | cut -d ' ' -f 4-5
}
xl vcpu-pin far 0 4 all
check "a load from this node's memory" takes 'in_far "chase cold 3 0 2048"' dram_local_ns
# A line of the source, one of the target, and eight times six instructions.
check "a copy of a line" takes 'in_far "chase copy 4 0 2048"' dram_local_ns 2 48
xl vcpu-pin far 0 2 all
check "a load from the other node's memory" \
    takes 'in_far "chase cold 5 0 2048"' dram_remote_ns

# A turn is a line read, another one written, and an upgrade of the first one.
# turns PCPU KEY
turns()
{
    xl vcpu-pin Domain-0 1 "$1" all
    takes "chase turns 6 0 1 10000" "$2" 3 0
}
check "two cores of a cache take turns" turns 1 same_llc_ns
check "cores of two caches of a socket" turns 2 same_socket_ns
check "cores of two sockets" turns 4 other_socket_ns

sed "s/^/# /" /tmp/figures
finish
