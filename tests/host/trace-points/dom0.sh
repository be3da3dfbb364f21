#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of trace-points.sh that runs in dom0 of the hypervisor with jump labels for its trace
# points.  "costs" has costs.sh's results on the unpatched hypervisor.

. /usr/lib/box/tap.sh

native=$PWD/costs

# costs: as costs.sh says
costs()
{
    sh ./costs.sh >/dev/null && mv "$RESULTS/costs" "$RESULTS/$1"
}

# value FILE NAME
value()
{
    awk -v name="$2" '$1 == name { print $2 }' "$1"
}

# all_differ FILE FILE -lt|-gt NAME...: compares operations of the two files
all_differ()
{
    local one="$1" other="$2" how="$3" name

    shift 3
    for name; do
        echo "$name: $(value "$one" "$name"), $(value "$other" "$name")"
        test "$(value "$one" "$name")" "$how" "$(value "$other" "$name")" || return
    done
}

# hardly_more FILE FILE NAME: 0.2 % more at most
hardly_more()
{
    awk -v one="$(value "$1" "$3")" -v other="$(value "$2" "$3")" 'BEGIN {
        print one ", " other
        exit !(one > 0 && other > 0 && one <= other * 1.002) }'
}

# same FILE FILE: equal but for the round trip, which differs between boots
same()
{
    for name in send map unmap; do
        equal "$(value "$1" $name)" "$(value "$2" $name)" || return
    done
}

# xentrace_runs COMMAND...: runs it while xentrace traces everything
xentrace_runs()
{
    rm -f /tmp/traced
    xentrace -D -e all /tmp/traced 2>/dev/null &
    pid=$!
    sleep 1
    "$@"
    code=$?
    kill $pid
    wait $pid
    return $code
}

records()
{
    stat -c %s /tmp/traced 2>/dev/null || echo 0
}

check "operations are measured" costs off
check "send, map and unmap cost less than unpatched while nothing is traced" \
    all_differ "$RESULTS/off" "$native" -lt send map unmap
# GCC calls update_load() of Credit2 then, which it inlines into the unpatched one.
check "a round trip, with two context switches, hardly more" \
    hardly_more "$RESULTS/off" "$native" round-trip
check "xentrace runs, and turns them on" xentrace_runs costs on
check "there are records of each context switch at least" [ "$(records)" -gt 100000 ]
check "each operation costs more meanwhile" all_differ "$RESULTS/on" \
    "$RESULTS/off" -gt send map unmap round-trip
check "operations are measured again" costs again
check "and cost the same as before" same "$RESULTS/again" "$RESULTS/off"
paste -d ' ' "$native" "$RESULTS/off" "$RESULTS/on" |
    awk '{ print "# " $1 ": unpatched " $2 ", off " $4 ", on " $6 }'
finish
