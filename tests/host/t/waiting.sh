#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --sockets 1 --cores 4
# box: --sockets 1 --cores 4
# time: 240
# only: full
#
# The timeline shows as RUNNABLE only time that Xen accounts as runnable.  In fast mode one thread
# emulates all pCPUs, so time stamps are late again and again; earlier versions showed a sleeping
# guest as waiting for seconds.  The other source is xentrace, in the same run: xenalyze sums up its
# records of runstates.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/log.sh
. /usr/lib/box/timeline.sh

guests="rest two disk crunch"
# The recording is kept, for the analysis of rows that contradict.
rec=$RESULTS/waiting.rows
# shellcheck disable=SC2034 # for start_daemon
daemon_settings="--log service-ns,wake-delay,evtchn-send,evtchn-recv,migrate"

each_guest()
{
    for guest in $guests; do
        xl "$1" "$guest" || return
    done
}

# record_them SECONDS: records the guests; a paused guest is neither running nor runnable.
record_them()
{
    each_guest pause
    xensched record --seconds 120 "$rec" 2>/run/said &
    recorder=$!
    xentrace -D -e 0x0002f000 /tmp/traced >/dev/null 2>&1 &
    tracer=$!
    sleep 2
    each_guest unpause
    sleep "$1"
    each_guest pause
    sleep 1
    kill -INT $recorder $tracer
    wait $recorder || cat /run/said
    wait $tracer
    xenalyze --summary /tmp/traced >/run/analyzed 2>/dev/null
    cp /run/analyzed "$RESULTS"
}

# waited_as_long GUEST: within a tenth and 20 ms of Xen's time; less where the timeline has unknown
# time.
waited_as_long()
{
    awk -v shown="$(numbers runnable_ns "$1")" -v unknown="$(numbers unknown_ns "$1")" \
        -v xen="$(analyzed_ns "$1" runnable)" 'BEGIN {
            printf "%.1f ms shown, %.1f ms unknown, %.1f ms by Xen\n", shown / 1e6,
                   unknown / 1e6, xen / 1e6
            exit !(shown <= 1.1 * xen + 2e7 && shown + unknown >= 0.9 * xen - 2e7) }'
}

guest start idle name=rest &
guest start idle name=two vcpus=2 &
guest start paced name=disk &
guest start computing name=crunch &
wait
start_daemon --mode observe
is "the daemon starts" "$?" 0
record_them 15
stop_daemon TERM
check "the timeline is made" sh -c "xensched timeline --json $rec >/run/timeline.json"
xensched timeline "$rec"
is "no row is lost" "$(number lost_rows)" 0
check "stamps were late" between 10 10000000 "$(number late_stamps)"
for guest in $guests; do
    check "$guest waited as long as Xen says" waited_as_long "$guest"
done
finish
