#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --dom0 pvh
# time: 90
# only: full
#
# A PVH dom0 reads Xen's log like a PV one.  The clock of its own Linux is unknown here: Xen
# emulates its TSC, which stops while a vCPU does not run.  So a recording leaves its rows out, with
# a message.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/timeline.sh

modules=/lib/xensched
# shellcheck disable=SC2034 # for start_daemon
daemon_settings="--log service-ns,wake-delay,evtchn-send,guest-switch"

check "dom0 is PVH" sh -c "dmesg | grep -q 'Booting kernel on Xen PVH'"
check "the modules can be used in dom0" sh -c \
    "insmod $modules/xensched_log.ko && insmod $modules/xensched_guest.ko"
guest start disk
start_daemon --mode observe
is "the daemon starts" "$?" 0
check "two seconds are recorded" sh -c "xensched record --seconds 2 /run/rows 2>/run/said"
check "a message says why dom0's Linux is not in it" \
    grep "dom0's Linux is not recorded: .* stands still" /run/said
check "the timeline is made" sh -c "xensched timeline --json /run/rows >/run/timeline.json"
is "it has no row of Linux" "$(number rows_of_linux)" 0
check "it has those of Xen" test "$(number rows)" -gt 1000
check "and how long the guest ran" test "$(number running_ns disk)" -gt 10000000
stop_daemon TERM
finish
