#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Has the functions that phases.plan calls: phases-dom0.sh FUNCTION [ARGUMENT...].
# In addition to figures, it writes
#
#   $RESULTS/machine.jsonl       samples of each phase, in a separate region
#   $RESULTS/PLACEMENT.journal   of the daemon

set -e
. /usr/lib/box/tap.sh
. /usr/lib/box/phases.sh
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh
# shellcheck source=tests/bench/host/plan-dom0.sh
. ./plan-dom0.sh

# Short times, because phases are short.  In exact mode pCPUs take turns: each executes an
# eighth of an instruction per ns, and so an eighth of the misses.
eager="--max-moves 100 --half-life 150 --period 150 --interval 50
       --confirm 2 --stay 500 --settle 0 --quiet 600000 --misses 125"
warm=15000 count=30000

idle_first()
{
    set_phase -------- 0 0 >/dev/null
    sleep 2
}

# go_through AMOUNT PAUSE PHASE...: AMOUNT requests of each guest in each phase, and
# PAUSE us between two samples.  Prints for the nth phase: region, start (ms since 1970),
# ticks.
go_through()
{
    local amount="$1" pause="$2" n=0 phase region sampler ran

    shift 2
    for phase; do
        n=$((n + 1))
        region=$(((XENSCHED_RUN - 1) * $# + n))
        samples $region $warm $count "$pause" &
        sampler=$!
        ran=$(run_phase "$phase" "$amount")
        kill $sampler
        wait $sampler
        echo "value $n.$phase.region $region"
        echo "value $n.$phase.began ${ran% *} ms"
        echo "value $n.$phase.ticks ${ran#* }"
    done
}

# The soft affinity of a guest.
soft()
{
    xl vcpu-list "$1" | awk 'NR == 2 { print $NF }'
}

anywhere()
{
    for name in $GUESTS; do
        xl vcpu-pin "$name" 0 all all
    done
}

near_memory()
{
    local name where

    while read -r name where; do
        xl vcpu-pin "$name" 0 all "$where"
    done </tmp/memory
}

# by_daemon MODE POLICIES
by_daemon()
{
    # shellcheck disable=SC2086 # separate words
    start_daemon $eager --mode "$1" --policies "$2"
}

end_daemon()
{
    xensched explain g1 || :
    stop_daemon
    cp /var/log/xensched/journal.jsonl "$RESULTS/$XENSCHED_CONFIGURATION.journal"
}

begin()
{
    start_phase_guests
    for name in $GUESTS; do
        echo "$name $(soft "$name")"
    done | tee /tmp/memory
    anywhere
    do_plan plan
}

"${@:-begin}"
