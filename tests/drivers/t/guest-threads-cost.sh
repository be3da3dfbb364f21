#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --sockets 1 --cores 2
# time: 300
# only: full
#
# What logging threads costs: nothing while it is off.  Two threads hand over to
# each other, and instructions of a round are counted without the module, with
# it, while its events are on, and when they are off again.  Fails if a round
# takes longer while nothing is on, or if rows cost far more than they did.

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

modules=/lib/xensched
rounds=400

# ticks OPTION: of the cheapest round and of one in the middle.
ticks()
{
    in_guest runner "echo $2 \$(handover $1 $rounds)"
    guest output runner | sed -n "s/^$2 ticks //p"
}

# The cheapest one: a round has two switches and wake-ups, and a probe that does
# nothing would have ten instructions in each.
same()
{
    between $((${1%% *} - 10)) $((${1%% *} + 10)) "${2%% *}"
}

guest start obedient name=runner
without=$(ticks --cost without)
in_guest runner \
    "insmod $modules/xensched_log.ko && insmod $modules/xensched_guest.ko"
off=$(ticks --cost off)
on=$(ticks --cost-logged on)
again=$(ticks --cost again)
note "instructions of a round, cheapest and middle, and rows of a round:"
note "without the module: $without"
note "off: $off"
note "on: $on"
note "off again: $again"
check "a module whose events are off costs nothing" same "$without" "$off"
check "a module whose events have been on costs nothing" same "$without" "$again"
check "a row costs less than 1000 instructions, three of them 3000" \
    test $((${on%% *} - ${off%% *})) -lt 3000
guest stop runner
finish
