#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of host-phases.sh that runs in dom0.  What it is to do is in "plan",
# beside it (phases.py wrote it):
#
#   phases       words of /usr/lib/box/phases.sh
#   amount       requests of each guest in a phase
#   part         of which so many are recorded, where nothing is placed meanwhile
#   placements   their names; one that is a variable, too, is what guests are
#                pinned to: GUEST=CPUS ...
#
# For each placement, all phases are gone through twice: once to count
# instructions, once to record who notifies whom.
#
#   $RESULTS/ticks                   PLACEMENT PHASE BEGAN-MS TICKS
#   $RESULTS/PLACEMENT.rows          the recording
#   $RESULTS/PLACEMENT.status        what the daemon said meanwhile
#   $RESULTS/PLACEMENT.journal       of the first time; of the other: .journal2

set -e
. /usr/lib/box/phases.sh
phases='' amount='' part='' placements=''
. ./plan
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh

acting="--mode act --policies driver-affinity,working-set --max-moves 100
        --half-life 150 --period 150 --interval 50 --confirm 2 --stay 500
        --settle 0 --quiet 600000"

# go_through PLACEMENT AMOUNT: one line for each phase.
go_through()
{
    local phase

    for phase in $phases; do
        echo "$1 $phase $(run_phase "$phase" "$2")"
    done
}

# pin PLACEMENT
pin()
{
    local name where

    eval "where=\${$1:-}"
    for name in $GUESTS; do
        case " $where" in
        *" $name="*) where_of=${where#*"$name"=}; where_of=${where_of%% *} ;;
        *)           where_of=all ;;
        esac
        xl vcpu-pin "$name" 0 "$where_of"
    done
}

# record PLACEMENT AMOUNT
record()
{
    local recorder

    xensched record "/tmp/$1.rows" 2>/dev/null &
    recorder=$!
    usleep 300000
    go_through "$1" "$2" >>"$RESULTS/ticks-recorded"
    usleep 300000
    kill -INT $recorder
    wait $recorder
    xensched status --json >"$RESULTS/$1.status"
    mv "/tmp/$1.rows" "$RESULTS"
}

# idle_first: a phase of nothing, so that each begins alike.
idle_first()
{
    set_phase -------- 0 0 >/dev/null
    sleep 2
}

measure()
{
    idle_first
    go_through "$1" "$amount" >>"$RESULTS/ticks"
    tail -n 1 "$RESULTS/ticks"
}

left_alone()
{
    pin "$1"
    measure "$1"
    start_daemon --mode observe --log service-ns,evtchn-send
    idle_first
    record "$1" "$part"
    stop_daemon
}

# The recording has to have the daemon's moves, so nothing of it is left out.
placed_by_daemon()
{
    local lever

    case $1 in
    *_soft) lever="--affinity soft --soft-weight 0" ;;
    *_hard) lever="--affinity hard" ;;
    *)      lever= ;;
    esac
    pin "$1"
    # shellcheck disable=SC2086 # separate words
    start_daemon $acting $lever
    measure "$1"
    cp /var/log/xensched/journal.jsonl "$RESULTS/$1.journal"
    stop_daemon
    # shellcheck disable=SC2086
    start_daemon $acting $lever
    idle_first
    record "$1" "$amount"
    cp /var/log/xensched/journal.jsonl "$RESULTS/$1.journal2"
    stop_daemon
}

start_phase_guests
for placement in $placements; do
    case $placement in
    xenschedd*) placed_by_daemon "$placement" ;;
    *)          left_alone "$placement" ;;
    esac
done
