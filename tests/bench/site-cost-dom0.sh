#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of site-cost.sh that runs in dom0: $RESULTS/plain has the costs with
# nothing turned on, $RESULTS/on (where Xen has the log facility) those with
# the event that belongs to the operation.

set -e
rounds=3000

# round_trip [EVENT]: with a guest of its own, since it waits for one peer
round_trip()
{
    guest start idle name=pong run='pingpong pong' >&2
    pong=$(xl domid pong)
    echo "pingpong ping $pong $rounds" >go
    if [ $# -eq 0 ]; then
        sh ./go
    else
        schedlog-count "$1" 0 any sh ./go
    fi
    guest stop pong >&2
}

# on NAME EVENT COMMAND...: what COMMAND says of NAME while EVENT is on
on()
{
    name=$1 event=$2
    shift 2
    schedlog-count "$event" 0 any "$@" | grep "^$name "
}

{
    op-cost $rounds
    round_trip
} >"$RESULTS/plain"

schedlog-count off 0 any true >/dev/null 2>&1 || exit 0

{
    on send evtchn-send op-cost $rounds
    on map grant-map op-cost $rounds
    on unmap grant-unmap op-cost $rounds
    round_trip evtchn-send | grep '^round'
    round_trip service-ns | grep '^round' | sed 's/^round-trip/switch/'
} >"$RESULTS/on"
