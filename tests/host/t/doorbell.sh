#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4 --xen-append xsm=dummy
# box: --mode exact --sockets 1 --cores 4
# time: 240
# only: full
#
# xenschedd reads logs when they have rows: once a second on a quiet host, to make its plans, and
# within a tick or two after a log buffer is half full, when guests begin to communicate.  Fails if
# it polls, if rows are lost before Xen rings, if the doorbell is not answered, if the lease ends,
# or if the daemon relies on a doorbell that never rings.  In exact mode, where this machine's load
# delays nothing.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/log.sh
. /usr/lib/box/drivers.sh
stopped=
metrics=/run/xensched.prom

metric()
{
    sed -n "s/^xensched_$1\({source=\"hypervisor\"}\)* //p" $metrics
}

# A file that is written from now on.
metrics_now()
{
    local before

    before=$(metric uptime_seconds)
    until_true 20 sh -c "[ -s $metrics ] &&
        ! grep -q '^xensched_uptime_seconds $before\$' $metrics"
}

# looks_per_s: reads per second in the next 15 s or so, without requests of clients.
looks_per_s()
{
    local looks uptime

    metrics_now
    looks=$(metric looks_total)
    uptime=$(metric uptime_seconds)
    sleep 15
    metrics_now
    awk -v looks=$(($(metric looks_total) - looks)) -v from="$uptime" \
        -v to="$(metric uptime_seconds)" 'BEGIN { print looks / (to - from) }'
}

# dom0_share: percentage of a pCPU that dom0 uses in the next 10 s
dom0_share()
{
    local before

    before=$(domain-usage time 0)
    sleep 10
    calc "($(domain-usage time 0) - $before) / 1e8"
}

# notify N: one guest notifies another one N times.  (A plain wait would wait for the daemon, too.)
notify()
{
    local node listener

    node=$(meeting "$(domid listener)" "$(domid sender)")
    in_guest listener "evtchn-ping listen $node $(domid sender)" &
    listener=$!
    in_guest sender "evtchn-ping send $node $(domid listener) $1"
    wait $listener
}

begin_quietly()
{
    begin_daemon --mode observe --metrics $metrics "$@"
    until_true 30 test -s $metrics
}

start_all listener sender
alone=$(dom0_share)

# A quiet host.
begin_quietly --log service-ns,evtchn-send
is "the daemon starts" "$?" 0
looks=$(looks_per_s)
check "on a quiet host the daemon reads once a second" between 0.9 1.3 "$looks"
rung_share=$(dom0_share)
check "its lease of 10 s is renewed" sh -c "! xl dmesg | grep -q 'not renewed'"

# A burst: five times as many rows as the log buffer of a pCPU holds, in less than the second
# between two reads.
rings=$(metric rings_total)
rows=$(metric rows_total)
begin=$(cut -d' ' -f1 /proc/uptime)
notify 80000 >/dev/null
seconds=$(cut -d' ' -f1 /proc/uptime | awk -v begin="$begin" '{ print $1 - begin }')
sleep 2
metrics_now
rings=$(($(metric rings_total) - rings))
rows=$(($(metric rows_total) - rows))
check "the doorbell rings while guests communicate" between 5 200 "$rings"
check "and the daemon reads all rows" test "$rows" -ge 80000
is "nothing is lost" "$(metric lost_rows_total)" 0
note "80000 notifications in $seconds s: $rows rows, $rings rings"
rings=$(metric rings_total)
check "when the host is quiet again, the daemon reads once a second" \
    between 0.9 1.3 "$(looks_per_s)"
is "and the doorbell does not ring" "$(metric rings_total)" "$rings"
stop_daemon TERM
is "it ends cleanly" "$stopped" 0

# Without event channels the daemon polls.
mv /dev/xen/evtchn /dev/xen/not-there
begin_quietly --log service-ns,evtchn-send
is "the daemon starts without event channels" "$?" 0
check "it reports that" grep -q "/dev/xen/evtchn is missing.*every 100 ms" \
    "${daemon_log:?}"
check "and polls" between 8 11 "$(looks_per_s)"
polled_share=$(dom0_share)
mv /dev/xen/not-there /dev/xen/evtchn
check "polling costs more than the doorbell" sh -c "awk 'BEGIN { exit !($rung_share < $polled_share) }'"
note "dom0 keeps a pCPU busy, in percent: $alone without a daemon," \
    "$rung_share with, $polled_share with one that polls"
stop_daemon TERM

# A doorbell that can be bound, but does not ring while log buffers pass their watermarks.
export LD_PRELOAD=/usr/bin/silent-doorbell.so
begin_quietly --log service-ns,evtchn-send
unset LD_PRELOAD
is "the daemon starts with a doorbell that does not ring" "$?" 0
for burst in 1 2 3 4 5 6; do
    notify 12000 >/dev/null
    sleep 1.2
done
metrics_now
is "the doorbell has not rung" "$(metric rings_total)" 0
check "the daemon notices that" grep -q "the doorbell of the log does not ring" "$daemon_log"
check "and polls" between 8 11 "$(looks_per_s)"
is "no row is lost" "$(metric lost_rows_total)" 0
note "bursts: ${burst:?}, rows: $(metric rows_total)"
stop_daemon TERM

# The doorbell of dom0's Linux, whose log buffer holds 1024 rows here.
check "xensched's modules replace the kernel's" use_drivers
begin_quietly --log service-ns,evtchn-send,ring-pages --log-sizes ring-pages:16K
is "the daemon starts with a log of Linux" "$?" 0
linux_lost='lost_rows_total{source="linux"}'
check "the log of Linux is read" until_true 20 grep -q 'source="linux"' $metrics
check "on a quiet host it reads once a second" between 0.9 1.3 "$(looks_per_s)"
disk_guest reader
metrics_now
rows=$(metric 'rows_total{source="linux"}')
begin=$(cut -d' ' -f1 /proc/uptime)
in_guest reader "disk-io /dev/xvda write 4096 5000"
seconds=$(cut -d' ' -f1 /proc/uptime | awk -v begin="$begin" '{ print $1 - begin }')
metrics_now
rows=$(($(metric 'rows_total{source="linux"}') - rows))
note "$rows rows of dom0's Linux in $seconds s"
check "it reads all rows of dom0's Linux" test "$rows" -ge 5000
is "and none of them is lost" "$(metric "$linux_lost")" 0
check "when the host is quiet again, the daemon reads once a second" \
    between 0.9 1.3 "$(looks_per_s)"
stop_daemon TERM
finish
