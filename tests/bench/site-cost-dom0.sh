#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of site-cost.sh that runs in dom0: $RESULTS/plain has the costs with
# nothing turned on, $RESULTS/on (where Xen has the log facility) those with
# the event that belongs to the operation, $RESULTS/entries those of a round
# trip of which one notification is logged, by what the row has.

set -e
rounds=3000

# On arm64 a mapping at a random place needs another page table now and then, which takes 4,000
# instructions.
[ "$(uname -m)" != aarch64 ] || echo 0 >/proc/sys/kernel/randomize_va_space

# round_trip: with a guest of its own, since it waits for one peer
round_trip()
{
    guest start idle name=pong run='pingpong pong' >&2
    pong=$(xl domid pong)
    "$@" pingpong ping "$pong" $rounds
    guest stop pong >&2
}

# on NAME EVENT COMMAND...: what COMMAND says of NAME while EVENT is on
on()
{
    name=$1 event=$2
    shift 2
    schedlog-count "$event" 0 any "$@" | grep "^$name "
}

# entries NAME ENTRY...: a round trip with a log buffer of 512 bytes
entries()
{
    name=$1
    shift
    schedlog-area setup 16 512 >&2
    schedlog-area register 0 "$@" >&2
    schedlog-area bind 0 all 2 >&2
    schedlog-area route 2 evtchn-send 0 >&2
    schedlog-area events evtchn-send >&2
    round_trip env | sed "s/^round-trip/$name/"
    schedlog-area events >&2
    schedlog-area bind 0 all 0 >&2
    schedlog-area release >&2
}

# First a guest: until one was started, Linux for arm64 takes the page for each mapping from dom0's
# own memory and then returns it, which takes 4,300 instructions.
{
    round_trip env
    op-cost $rounds
} >"$RESULTS/plain"

schedlog-count off 0 any true >/dev/null 2>&1 || exit 0

{
    on send evtchn-send op-cost $rounds
    on map grant-map op-cost $rounds
    on unmap grant-unmap op-cost $rounds
    round_trip schedlog-count evtchn-send 0 any | grep '^round'
    round_trip schedlog-count service-ns 0 any | grep '^round' |
        sed 's/^round-trip/switch/'
} >"$RESULTS/on"

{
    entries 0-entry
    entries 1-entry event
    entries 4-entry event current correspondent counter
    entries 5-entry event current correspondent counter tsc
} >"$RESULTS/entries"
