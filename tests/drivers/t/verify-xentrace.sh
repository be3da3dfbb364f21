#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --xen native --sockets 2 --cores 2 --numa --tools
# time: 700
# only: full
#
# The same as ring-verify.sh without xensched: an unpatched Xen, the kernel's own back ends, and
# xentrace with all events.  If this fails, ring-verify.sh fails for a reason outside of xensched.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/verified.sh

console_begin
guest start driver
guest start obedient name=local disk=10 tools=1 &
guest start obedient name=remote disk=10 backend=driver tools=1 &
wait
check "nothing is traced: all data is right" both_verified 1
xentrace -D -e all trace 2>/dev/null &
tracer=$!
check "all events are traced: all data is right" both_verified 2
kill $tracer
wait $tracer
check "there were events" test "$(stat -c %s trace)" -gt 100000
check "the consoles have no errors" console_quiet
finish
