#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of trace-points.sh that runs in dom0 of the hypervisor with jump labels for
# its trace points.  "costs" is what costs.sh says of the unpatched one.

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

# all_differ FILE FILE -lt|-gt: each operation of the one against that of the other
all_differ()
{
    for name in send map unmap round-trip; do
        echo "$name: $(value "$1" $name), $(value "$2" $name)"
        test "$(value "$1" $name)" "$3" "$(value "$2" $name)" || return
    done
}

# same FILE FILE: but for the round trip, which two boots do not have the same of
same()
{
    for name in send map unmap; do
        equal "$(value "$1" $name)" "$(value "$2" $name)" || return
    done
}

# xentrace_runs COMMAND...: while it traces everything
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
check "each costs less than unpatched while nothing is traced" \
    all_differ "$RESULTS/off" "$native" -lt
check "xentrace runs, and turns them on" xentrace_runs costs on
check "there are records: each context switch, at least" [ "$(records)" -gt 100000 ]
check "each operation costs more meanwhile" all_differ "$RESULTS/on" "$RESULTS/off" -gt
check "operations are measured again" costs again
check "and they cost what they did before" same "$RESULTS/again" "$RESULTS/off"
paste -d ' ' "$native" "$RESULTS/off" "$RESULTS/on" |
    awk '{ print "# " $1 ": unpatched " $2 ", off " $4 ", on " $6 }'
finish
