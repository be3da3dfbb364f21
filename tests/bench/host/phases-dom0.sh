#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Carries out phases-plan in dom0, which phases.py has made; host-phases.sh explains the
# experiment.  The functions that the plan calls: phases-dom0.sh FUNCTION [ARGUMENT...].

set -e
. /usr/lib/box/tap.sh
. /usr/lib/box/phases.sh
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh
# shellcheck source=tests/bench/host/plan-dom0.sh
. ./plan-dom0.sh

cores=$(($(xl info nr_cpus) / 2)) # of a socket
dom0_pcpus=0-$((cores - 1)) driver_pcpus=$cores-$((2 * cores - 1))
journal=/var/log/xensched/journal.jsonl
seed=$(cat phases-seed)
lead=4      # s of half of the load before a run counts: the daemon places the guests
pause_ms=100 # between two phases: guests wait for their last read, and start the next program
unit="256 200000" # of work of a computing guest: KiB, loads

# let_go: leaves the guests to Xen's scheduler, which then decides where they begin.
let_go()
{
    for name in $GUESTS; do
        xl vcpu-pin "$name" 0 all all
    done
}

# bind: binds each guest to a socket that the repetition draws.  A guest moves when it wakes up.
bind()
{
    for name in $GUESTS; do
        echo "$name"
    done | awk -v seed=$((1000 * seed + XENSCHED_REPETITION)) \
        -v one=$dom0_pcpus -v other=$driver_pcpus '
        BEGIN { srand(seed) }
        { print $1, rand() < 0.5 ? one : other }' >/tmp/drawn
    while read -r name pcpus; do
        xl vcpu-pin "$name" 0 "$pcpus" all
    done </tmp/drawn
}

# by_daemon OPTION...
by_daemon()
{
    rm -f /var/lib/xensched/prices.json
    start_daemon "$@"
}

# end_daemon: restores affinities.
end_daemon()
{
    stop_daemon
    cp $journal "$RESULTS/$XENSCHED_WORKLOAD-$XENSCHED_REPETITION.journal"
}

# work_in GUEST START MS RATE SEED WORD: the command for one phase.
work_in()
{
    case $(letter "$6" "$1") in
    D) work="timed-reads /dev/xvda 4096 32" ;;
    V) work="timed-reads /dev/xvdb 4096 32" ;;
    C) work="timed-work $unit" ;;
    *) return 0 ;;
    esac
    echo "$work $4 $5 $2 $(($3 - pause_ms)) &&"
}

# commands GUEST START SECONDS RATE WORD...: work during the lead, then in each phase.
commands()
{
    local guest="$1" start="$2" seconds="$3" rate="$4" draw word

    shift 4
    # The same in all configurations of a repetition.
    draw=$((100000 * seed + 1000 * XENSCHED_REPETITION + ${guest#g}))
    work_in "$guest" "$start" $((1000 * lead)) $((rate / 2)) $draw "$1"
    start=$((start + lead))
    for word; do
        draw=$((draw + 10))
        work_in "$guest" $start $((1000 * seconds)) "$rate" $draw "$word"
        start=$((start + seconds))
    done
    echo :
}

# host_time: ns that all domains ran.
host_time()
{
    # shellcheck disable=SC2046 # a word each
    domain-usage time 0 $(cat /tmp/domids)
}

# daemon_time: ns that xenschedd ran; 0 without it.
daemon_time()
{
    if [ -f $daemon_pid ]; then
        cut -d ' ' -f 1 "/proc/$(cat $daemon_pid)/schedstat"
    else
        echo 0
    fi
}

# figures WORDS NS DAEMON-NS FILE...: of all guests together.  A line: ticks, idle time, exit code;
# for the lead and each phase: requests, mean, median, P99.
figures()
{
    awk -v phases="$1" -v ns="$2" -v daemon="$3" '
        $3 != 0 { exit failed = 1 }
        NF == 3 { next }
        NF != 3 + 4 * (phases + 1) { exit failed = 1 }
        { for (i = 8; i < NF; i += 4) {
              reads += $i; sum += $i * $(i + 1); p50 += $(i + 2); p99 += $(i + 3); n++ } }
        END {
            if (failed || !n)
                exit 1
            print "value reads", reads
            print "value time", ns / reads, "ns"
            print "value daemon", daemon / reads, "ns"
            print "value mean", sum / reads, "ns"
            print "value p50", p50 / n, "ns"
            print "value p99", p99 / n, "ns"
        }' "$4"
}

# placed WORD: how many guests are on the node of their back end, and what the daemon did.
placed()
{
    xl vcpu-list | awk -v word="$1" -v cores="$cores" '
        /^g[1-8] / { letter = substr(word, substr($1, 2), 1)
                     n += letter == "D" && $4 < cores || letter == "V" && $4 >= cores }
        END { print "value near", n + 0 }'
    [ ! -f $daemon_pid ] || awk '
        /"what":"move"/ { moves++ }
        /"what":"worse"/ { worse++ }
        END { print "value moves", moves + 0; print "value rolled_back", worse + 0 }' $journal
}

# await_second: from here, "sleep" ends just after a second begins.
await_second()
{
    begin=$(date +%s)
    while [ "$(date +%s)" = "$begin" ]; do
        usleep 5000
    done
    begin=$((begin + 3))
}

# go SECONDS RATE WORD...: one run.
go()
{
    local seconds="$1" rate="$2" readers='' begin last daemon

    shift 2
    await_second
    region 63
    rm -f /tmp/times-*
    for name in $GUESTS; do
        errand run "$(domid "$name")" \
            "echo \$($(commands "$name" "$begin" "$seconds" "$rate" "$@"))" >"/tmp/times-$name" &
        readers="$readers $!"
    done
    sleep $((2 + lead))
    last=$(host_time)
    daemon=$(daemon_time)
    sleep $((seconds * $#))
    last=$(($(host_time) - last))
    daemon=$(($(daemon_time) - daemon))
    for reader in $readers; do
        wait "$reader"
    done
    region 0
    cat /tmp/times-* >/tmp/times
    figures $# "$last" $daemon /tmp/times || { cat /tmp/times; return 1; }
    eval "word=\${$#}"
    placed "$word"
}

trial_runs()
{
    xensched trial show --json | grep -q '"state": *"running"'
}

# trial PAIRS RATE WORD: "xensched trial" judges a load that does not change.
trial()
{
    local begin block=10 name

    await_second
    region 63
    for name in $GUESTS; do
        errand run "$(domid "$name")" "$(work_in "$name" "$begin" \
            $((1000 * (2 * block * $1 + 30))) "$2" "$((1000 * seed + ${name#g}))" "$3") :" \
            >/dev/null &
    done
    sleep 10
    xensched trial start --block ${block}s --pairs "$1"
    while trial_runs; do
        sleep 2
    done
    region 0
    xensched trial show
    xensched trial show --json | tr -d '\n'
    echo
    wait
}

begin()
{
    # shellcheck disable=SC2034 # of phases.sh
    disk_mib=8 guest_run='errand serve'
    # A read of a block that was never written copies nothing.
    prepare="$prepare
        for disk in xvda xvdb; do
            dd if=/dev/zero of=/dev/\$disk bs=1M count=$disk_mib oflag=direct 2>/dev/null
        done"
    start_phase_guests
    for name in driver $GUESTS; do
        domid "$name"
    done >/tmp/domids
    do_plan phases-plan
}

"${@:-begin}"
