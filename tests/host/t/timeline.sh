#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2
# box: --mode exact --sockets 1 --cores 2 --dom0-vcpus 1
# time: 90
# only: full
#
# The timeline of a real host is true: each guest ran as long as Xen accounts, within 1 %, and as
# long as xenalyze derives from xentrace's records of the same run, within 1 % and 1 us per run
# interval; the states of each vCPU add up to the whole time; no wake-up seems to come before its
# notification, and at most one of a thousand rows contradicts others.  A guest that uses its disk
# waits for a pCPU on which another one computes, and the timeline names that one.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/log.sh
. /usr/lib/box/timeline.sh

# The recording is kept, for the analysis of failures.
rec=$RESULTS/timeline.rows
# shellcheck disable=SC2034 # for start_daemon
daemon_settings="--log service-ns,wake-delay,evtchn-send,evtchn-recv,migrate"

# Guests are paused, so that no run interval crosses an end.
pause_all()
{
    xl pause disk && xl pause crunch
}

# record_them SECONDS: records the guests; sets disk_ns and crunch_ns, as Xen accounts.
record_them()
{
    pause_all
    disk_ns=$(domain-usage time "$(domid disk)") crunch_ns=$(domain-usage time "$(domid crunch)")
    xensched record --seconds 60 $rec 2>/run/said &
    recorder=$!
    xentrace -D -e 0x0002f000 /tmp/traced >/dev/null 2>&1 &
    tracer=$!
    sleep 1
    xl unpause crunch
    xl unpause disk
    sleep "$1"
    pause_all
    sleep 1
    kill -INT $recorder $tracer
    wait $recorder || cat /run/said
    wait $tracer
    xenalyze --summary /tmp/traced >/run/analyzed 2>/dev/null
    disk_ns=$(($(domain-usage time "$(domid disk)") - disk_ns))
    crunch_ns=$(($(domain-usage time "$(domid crunch)") - crunch_ns))
}

# within_a_percent A B [NS]: and NS more.
within_a_percent()
{
    awk -v a="$1" -v b="$2" -v ns="${3:-0}" 'BEGIN {
        print a, "and", b, "ns"
        exit !(b > 1e7 && a >= 0.99 * b - ns && a <= 1.01 * b + ns) }'
}

# adds_up GUEST: the states add up exactly.
adds_up()
{
    equal "$(($(number running_ns "$1") + $(number runnable_ns "$1") +
              $(number blocked_ns "$1") + $(number unknown_ns "$1") +
              $(number lost_ns "$1")))" "$(number length_ns)"
}

guest start paced name=disk cpus=1
guest start computing name=crunch cpus=1
xl vcpu-pin Domain-0 all 0
start_daemon --mode observe
is "the daemon starts" "$?" 0
record_them 2
stop_daemon TERM
check "the timeline is made" sh -c "xensched timeline --json $rec >/run/timeline.json"
note "lost: $(number lost_rows), of $(number rows) rows"
is "no row is lost" "$(number lost_rows)" 0
check "crunch ran as long as Xen says" \
    within_a_percent "$(number running_ns crunch)" "$crunch_ns"
check "disk ran as long as Xen says" within_a_percent "$(number running_ns disk)" "$disk_ns"
# xentrace has the time at which a record is written, some hundred ns from that of Xen's accounts;
# disk runs for less than 30 us at a time.
for guest in crunch disk; do
    check "$guest ran as long as xenalyze says" \
        within_a_percent "$(number running_ns $guest)" "$(analyzed_ns $guest running)" \
        $((1000 * $(analyzed_times $guest running)))
done
for guest in disk crunch Domain-0; do
    check "the states of $guest add up to all of the time" adds_up "$guest"
done
note "of $(number wake_ups) wake-ups $(number disordered) before their notification," \
    "by $(number disorder_ns) ns"
check "there are wake-ups" between 300 1000000 "$(number wake_ups)"
is "none comes before its notification" "$(number disordered)" 0
check "hardly any row contradicts others" between 0 $(($(number rows) / 1000)) \
    $(($(number overlapping_stays) + $(number unplaced_wake_ups) +
       $(number too_many_vcpus) + $(number woken_while_running)))
xensched latency $rec disk >/run/said
check "disk waited for the guest with which it shared a pCPU" \
    grep -q '^disk, notified by Domain-0, waited .* there ran: crunch' /run/said
at=$(awk '$2 == "disk" { print $NF }' /run/said | head -n 1)
xensched why --at "$at" $rec disk >/run/said
check "and why names it" grep -q 'crunch ran there for' /run/said
finish
