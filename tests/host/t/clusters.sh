#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: no
# time: 120
# only: full
#
# On one socket whose device tree has no caches, an operator names the clusters of pCPUs that share
# one (llc).  The daemon moves the guest that uses dom0's disks to dom0's cluster; the log shows
# that the guest runs there; and its affinity is restored.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

near=${near:?} # dom0's cluster

named=$daemon_settings
daemon_settings=${named% --llc *}
start_daemon --mode observe
is "without the names no cache is known" \
    "$(xensched status | sed -n 's/^last caches *//p')" "1: not known, taken as the socket's"
stop_daemon TERM

daemon_settings=$named
start_daemon --mode act
is "the daemon starts" "$?" 0
xensched status --json >"$RESULTS/status.json"
check "status reports the clusters" grep -q '"llcs_by": *"operator"' "$RESULTS/status.json"
check "a recording of dom0 has rows" sh -c \
    'xensched record --seconds 2 dom0.rows && xensched dump dom0.rows | grep -q service-ns'
affinities >before
check "a guest starts" guest start paced name=disk
note "it needed $(cut -d. -f1 /proc/uptime) s of dom0's time since dom0 started"
check "it is moved to dom0's cluster" until_true 60 soft_is disk $near
check "and runs there, according to the log" runs_near disk
xensched explain disk >"$RESULTS/explain"
check "because that costs less" grep -q 'saves [0-9.]* ms/s' "$RESULTS/explain"
affinities >after
is "it, and only it, was moved" \
    "$(awk '$1 != "disk"' after | diff before - | wc -l)" 0
xensched record --seconds 3 "$RESULTS/disk.rows"
xensched status >"$RESULTS/status"
xensched plan >"$RESULTS/plan"
xensched check >"$RESULTS/check"
xensched dump "$RESULTS/disk.rows" >dump
check "notifications of guest and dom0 are logged" grep -q "evtchn-send.*disk" dump
stop_daemon TERM
is "the daemon ends" "${stopped:?}" 0
is "the guest may run everywhere again" "$(soft disk)" all
finish
