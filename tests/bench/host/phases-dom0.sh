#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of host-phases.sh that runs in dom0.  What it is to do is in "plan",
# beside it (phases.py wrote it):
#
#   phases       words of /usr/lib/box/phases.sh
#   amount       requests of each guest in a phase
#   pause        us between two samples
#   placements   their names; one that is a variable, too, is what guests are
#                pinned to: GUEST=CPUS ...
#
# All phases are gone through under each placement:
#
#   $RESULTS/machine.jsonl       region 1 + n: samples of the nth phase, counted over
#                                all placements
#   $RESULTS/ticks               PLACEMENT PHASE BEGAN-MS TICKS
#   $RESULTS/PLACEMENT.journal   of the daemon
#   $RESULTS/memory              GUEST SOFT-AFFINITY, as xl chose it with its node

set -e
. /usr/lib/box/tap.sh
. /usr/lib/box/phases.sh
phases='' amount='' pause='' placements=''
. ./plan
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh

# Eager, as phases are short.  In exact mode pCPUs take turns: each executes an
# eighth of an instruction per ns, and so an eighth of the misses.
eager="--max-moves 100 --half-life 150 --period 150 --interval 50
       --confirm 2 --stay 500 --settle 0 --quiet 600000 --misses 125"
warm=15000 count=30000
region=0

soft()
{
    xl vcpu-list "$1" | awk 'NR == 2 { print $NF }'
}

# pin PLACEMENT: hard affinity and soft affinity
pin()
{
    local name where place

    eval "where=\${$1:-}"
    for name in $GUESTS; do
        place=all
        case " $where" in
        *" $name="*) place=${where#*"$name"=}; place=${place%% *} ;;
        esac
        case $1 in
        memory) xl vcpu-pin "$name" 0 all "$(sed -n "s/^$name //p" "$RESULTS/memory")" ;;
        *)      xl vcpu-pin "$name" 0 "$place" all ;;
        esac
    done
}

# idle_first: a phase of nothing, so that each begins alike.
idle_first()
{
    set_phase -------- 0 0 >/dev/null
    sleep 2
}

# go_through PLACEMENT
go_through()
{
    local phase sampler ran

    idle_first
    for phase in $phases; do
        region=$((region + 1))
        samples $region $warm $count "$pause" &
        sampler=$!
        ran=$(run_phase "$phase" "$amount")
        echo "$1 $phase $ran" >>"$RESULTS/ticks"
        kill $sampler
        wait $sampler
        tail -n 1 "$RESULTS/ticks"
    done
}

# by_daemon PLACEMENT MODE POLICIES
by_daemon()
{
    # shellcheck disable=SC2086 # separate words
    start_daemon $eager --mode "$2" --policies "$3"
    go_through "$1"
    cp /var/log/xensched/journal.jsonl "$RESULTS/$1.journal"
    xensched explain g1 || :
    stop_daemon
}

start_phase_guests
for name in $GUESTS; do
    echo "$name $(soft "$name")"
done | tee "$RESULTS/memory"
for placement in $placements; do
    pin "$placement"
    case $placement in
    observe)   by_daemon observe observe placement ;;
    placement) by_daemon placement act placement ;;
    driver)    by_daemon driver act driver-affinity,working-set ;;
    *)         go_through "$placement" ;;
    esac
done
