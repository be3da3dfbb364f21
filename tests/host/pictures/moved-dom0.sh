#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Produces in dom0, which is bound to socket 0, the move that docs/measure/timeline.md shows.  When
# a guest that uses its disk starts, another one computes on socket 0, so Xen's scheduler runs the
# first on the other socket, and leaves it there until the daemon moves it.  Leaves moved.rows, and
# the daemon's explanation of the guest.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

set -e

xl vcpu-pin Domain-0 all 0-1
guest start computing name=crunch cpus=1 memory=160
guest start disk memory=160
guest stop crunch
# shellcheck disable=SC2034 # for start_daemon
daemon_settings="--settle 2000 --least-gain 10 --misses 0 --log service-ns,wake-delay,evtchn-send,evtchn-recv,migrate"
start_daemon --mode act
xensched record --seconds 5 "$RESULTS/moved.rows"
xensched explain disk >"$RESULTS/moved.explained"
stop_daemon TERM
