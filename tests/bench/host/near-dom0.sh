#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Carries out near-plan in dom0, which near.py has made; host-near.sh explains the
# experiment.  near-settings has the seed of the boot and the ms that a run counts.
#
#   near-dom0.sh                             starts the guests, does the plan
#   near-dom0.sh reads GUESTS DEPTH RATE BYTES   one run

set -e
# shellcheck source=tests/host/dom0/usr/lib/box/timed.sh
. /usr/lib/box/timed.sh
# shellcheck source=tests/bench/host/plan-dom0.sh
. ./plan-dom0.sh

read -r seed ms <near-settings

# read_in GUEST START DEPTH RATE BYTES: all places of a repetition have the same reads
read_in()
{
    errand run "$(cat "/tmp/domid-$1")" "timed-reads /dev/xvda $5 $3 $4 \
        $((1000 * seed + 10 * XENSCHED_REPETITION + $1)) $2 $ms" >"/tmp/times-$1"
}

# figures FILE...: prints the figures of all guests together.  A line: ticks, idle time,
# exit code, requests, mean, median, P99.
figures()
{
    awk -v ms="$ms" '
        $3 != 0 { exit failed = 1 }
        { requests += $4; p50 += $6; p99 += $7 }
        END {
            if (failed)
                exit 1
            print "value requests", 1000 * requests / ms, "/s"
            print "value p50", p50 / NR, "ns"
            print "value p99", p99 / NR, "ns"
        }' "$@"
}

# reads GUESTS DEPTH RATE BYTES
reads()
{
    local guest=0 readers='' files='' start=0 reader

    region 63
    # Guests that read together begin together.
    [ "$1" = 1 ] || start=$(($(date +%s) + 2))
    while [ $guest -lt "$1" ]; do
        read_in $guest $start "$2" "$3" "$4" &
        readers="$readers $!"
        files="$files /tmp/times-$guest"
        guest=$((guest + 1))
    done
    for reader in $readers; do
        wait "$reader"
    done
    region 0
    # shellcheck disable=SC2086 # one for each guest
    figures $files
    xl vcpu-list | awk '/^near/ { print "value pcpu" substr($1, 5), $4, "pcpu" }' |
        head -n "$1"
}

if [ $# -gt 0 ]; then
    "$@"
    exit
fi
guests=$(sed -n 's/.* reads \([0-9]*\) .*/\1/p' near-plan | sort -n | tail -n 1)
for guest in $(seq 0 $((guests - 1))); do
    start_reader "near$guest" 1
    xl domid "near$guest" >"/tmp/domid-$guest"
done
dom0_on_pcpu_0
do_plan near-plan
xensched runs --database /tmp/runs.sqlite stat
xensched runs --database /tmp/runs.sqlite compare same_llc other_socket || [ $? = 4 ]
