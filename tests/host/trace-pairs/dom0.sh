#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of trace-pairs.sh that runs in dom0: $RESULTS/trace has the records of all that
# two guests do here, and $RESULTS/numbers the domains' numbers.

. /usr/lib/box/tap.sh
. /usr/lib/box/bridge.sh

set -e
guest start obedient name=listener
guest start obedient name=sender network=10.0.0.2/24
ip addr add 10.0.0.1/24 dev "${bridge:?}"
in_guest sender "ping -c 1 -w 20 10.0.0.1"
{
    echo "dom0 0"
    echo "sender $(domid sender)"
    echo "listener $(domid listener)"
} >"$RESULTS/numbers"
xentrace -D -S 256 -e 0x0110f000 /tmp/trace &
tracer=$!
sleep 2
in_both listener 'evtchn-ping listen $NODE $PEER' sender 'evtchn-ping send $NODE $PEER 1000'
# xen-netback copies packets to the guest.  Of a packet from the guest it copies the first
# 128 bytes, and maps the page with the other bytes.
in_guest sender "ping -q -A -c 50 -s 1000 -w 60 10.0.0.1"
sleep 1
kill $tracer
wait $tracer || :
cp /tmp/trace "$RESULTS/trace"
