#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2 --counter-mhz 1000
# box: --mode exact --sockets 1 --cores 2
# time: 300
# only: full
#
# The cost of logging threads, which is nothing while it is off.  Two threads take turns; counts the
# instructions of a round without the module, with it, while its events are on, and after they were
# turned off again.  Fails if a round takes longer while events are off, or if rows cost far more
# than before.

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

modules=/lib/xensched
rounds=400

# ticks OPTION: prints those of the fastest round and of the median.
ticks()
{
    in_guest runner "echo $2 \$(handover $1 $rounds)"
    guest output runner | sed -n "s/^$2 ticks //p"
}

# The fastest: a round has two switches and two wake-ups, and a probe without effect would add ten
# instructions to each.
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
