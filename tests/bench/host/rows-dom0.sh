#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the part of host-memory.sh and of host-correlation.sh in dom0, with a guest that
# has a disk of dom0.  The file "plan" beside it has the steps:
#
#   memory WORKLOAD             rows of all events, per interval
#   correlation LOAD THRESHOLD  rows of notifications and of requests
#
# Writes to $RESULTS the output of advise-size for both logs, WORKLOAD.hypervisor and
# WORKLOAD.linux; or LOAD-THRESHOLD.rows and LOAD-THRESHOLD-ring.rows, recordings.

set -e
. ./dom0.sh

# load NAME: the command for the guest
load()
{
    case $1 in
    postmark) echo ./long-postmark ;;
    changing) echo ./changing-load ;;
    *)        echo "./workload run $1" ;;
    esac
}

# prepare NAME
prepare()
{
    [ "$1" = changing ] ||
        errand_to bench "./workload prepare $1" >/dev/null
}

# look_on FILE COMMAND...: in the background, until look_away
watchers=
look_on()
{
    local to="$1"

    shift
    "$@" >"$to" 2>>/tmp/watchers.log &
    watchers="$watchers $!"
}

look_away()
{
    local watcher

    for watcher in $watchers; do
        kill -INT "$watcher"
        wait "$watcher"
    done
    watchers=
}

# memory WORKLOAD
memory()
{
    prepare "$1"
    start_daemon --mode observe --log all
    sleep 1
    look_on "$RESULTS/$1.hypervisor" xensched advise-size --json
    look_on "$RESULTS/$1.linux" xensched advise-size --json --source linux
    usleep 200000
    errand_to bench "$(load "$1")" >"$RESULTS/$1.errand"
    look_away
    xensched status --json >"$RESULTS/$1.status"
    stop_daemon
    echo "memory: $1: $(cat "$RESULTS/$1.errand")"
}

# correlation LOAD THRESHOLD
correlation()
{
    local name="$1-$2"

    prepare "$1"
    start_daemon --mode observe --log "evtchn-send,ring-pages:$2"
    sleep 1
    look_on /dev/null xensched record "/tmp/$name.rows"
    look_on /dev/null xensched record --source linux "/tmp/$name-ring.rows"
    usleep 200000
    errand_to bench "$(load "$1")" >"$RESULTS/$name.errand"
    look_away
    mv /tmp/"$name"*.rows "$RESULTS"
    xensched status --json >"$RESULTS/$name.status"
    stop_daemon
    echo "correlation: $1, threshold $2: $(cat "$RESULTS/$name.errand")"
}

trap stop_daemon EXIT
our_drivers
guest start bench files='workload long-postmark changing-load'
. ./plan
