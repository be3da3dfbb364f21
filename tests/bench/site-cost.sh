#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a log site costs, in instructions: single operations on the unpatched
# hypervisor, on the patched one with all events off, and with the event on
# that belongs to the operation.
#
# In exact mode a tick of the TSC is an instruction, so that the least of many
# measurements is exact and does not depend on the machine.  It says nothing
# about caches or branch prediction.  With XEN_ARCH=arm64 the operations are
# those of arm64, whose counter gets the same frequency.
#
# Writes site-cost.json into build/bench (arm64: build/arm64/bench):
#   {"unit": "instructions", "cases": {NAME: {"native": N, "off": N, "on": N}},
#    "entries": {"native": N, "disabled": N, "0-entry": N, ...}}
# where "entries" is table 5.2 of the thesis.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=../host/lib/paths.sh
. "$top/tests/host/lib/paths.sh"
out=$BOX_BUILD/bench
counter=()
[[ $BOX_ARCH != arm64 ]] || counter=(--counter-mhz 1000)
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# measure WHICH-XEN: one boot
measure()
{
    echo "bench: booting the $1 hypervisor in exact mode" >&2
    "$top/tests/host/box" --mode exact --sockets 1 --cores 1 --xen "$1" \
        "${counter[@]}" --timeout 900 --results "$results/$1" "$here/site-cost-dom0.sh" >&2
}

# value FILE NAME
value()
{
    awk -v name="$2" '$1 == name { print $2 }' "$results/$1"
}

# Lines: CONFIGURATION INSTRUCTIONS, of a round trip
entries()
{
    echo "native $(value native/plain round-trip)"
    echo "disabled $(value patched/plain round-trip)"
    cat "$results/patched/entries"
}

# Lines: NAME NATIVE OFF ON.  The row "switch" is a round trip as well.
figures()
{
    local name plain

    for name in send map unmap round-trip switch; do
        plain=${name/switch/round-trip}
        echo "$name $(value native/plain "$plain")" \
             "$(value patched/plain "$plain") $(value patched/on "$name")"
    done
}

table()
{
    printf '%-12s %10s %10s %10s %8s %8s\n' '' native off on 'off +' 'on +'
    figures | awk '{ printf "%-12s %10d %10d %10d %8d %8d\n",
                            $1, $2, $3, $4, $3 - $2, $4 - $2 }'
}

entries_table()
{
    printf '%-12s %10s %10s %9s\n' 'round trip' instr. native+ percent
    entries | awk 'NR == 1 { native = $2 }
                           { printf "%-12s %10d %10d %8.2f%%\n", $1, $2,
                             $2 - native, ($2 - native) * 100 / native }'
}

json()
{
    figures | awk '
        BEGIN { printf "{\"unit\": \"instructions\", \"cases\": {" }
              { printf "%s\"%s\": {\"native\": %d, \"off\": %d, \"on\": %d}",
                       (NR > 1 ? ", " : ""), $1, $2, $3, $4 }'
    entries | awk '
        BEGIN { printf "}, \"entries\": {" }
              { printf "%s\"%s\": %d", (NR > 1 ? ", " : ""), $1, $2 }
        END   { print "}}" }'
}

mkdir -p "$out"
measure native
measure patched
json >"$out/site-cost.json"
table
cat <<END
Instructions of one operation, as a program in dom0 sees it; least of 3000.
send, map, unmap: from dom0 to itself; on, this is filtered and makes no row.
  Linux makes two hypercalls for a map, and for an unmap.
round-trip: two notifications and two context switches between dom0 and a guest
  on one pCPU; on: evtchn-send, a row (ids, 64-bit counter) for one of the two.
switch: the same; on: service-ns, a row for the switches from dom0.

$(entries_table)

The same round trip by what a row has (thesis, table 5.2: one notification of
the two is logged, to a log buffer of 512 bytes).  1: event; 4: current,
correspondent and counter as well; 5: and the TSC.
Written: $out/site-cost.json
END
