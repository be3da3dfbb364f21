#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What docs/timeline.md shows, as it happens in dom0: a guest that reads its disk a
# hundred times a second, and one that computes on the pCPU on which dom0, whose disk
# it is, has to run.  Leaves the recording.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

set -e

# shellcheck disable=SC2034 # for start_daemon
daemon_settings="--log service-ns,wake-delay,evtchn-send,evtchn-recv,migrate"

guest start paced name=disk cpus=1
guest start computing name=crunch cpus=0
xl vcpu-pin Domain-0 all 0
start_daemon --mode observe
xensched record --seconds 2 "$RESULTS/slow-request.rows"
stop_daemon TERM
