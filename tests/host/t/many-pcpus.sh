#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 8 --cores 31 --numa --memory 4096 --dom0-memory 768 --dom0-vcpus 2 --dom0-append nowatchdog
# time: 2400
# only: full
#
# A host with the greatest number of pCPUs that the emulator supports, 248: with all events on the
# area fits into Xen's default limit, each pCPU logs, every row is read, and the area is released.
# One thread emulates all 248 pCPUs, so times do not count, and dom0 must not report a lockup.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

echo 1 >/sys/module/rcupdate/parameters/rcu_cpu_stall_suppress
is "there are 248 pCPUs" "$(xl info nr_cpus)" 248
begin_daemon --mode observe --log all \
    --lease 120000
until_true 300 xensched status >/dev/null 2>&1
is "the daemon starts" "$?" 0
xensched check | grep -m 1 'log area:' >area.txt
note "$(cat area.txt)"
check "the area is there, with all events" grep -q 'runq.*wake-delay.*mark' area.txt
xensched dump --seconds 3 >dump.txt
is "each of them logs" \
    "$(awk '$2 ~ /^[0-9]+$/ { seen[$2] } END { print length(seen) }' dump.txt)" 248
is "and no row is lost" \
    "$(xensched status | sed -n 's/^rows .* read, *\([0-9]*\) lost.*/\1/p')" 0
stop_daemon TERM
is "the daemon ends cleanly" "${stopped:?}" 0
check "and the memory is freed" sh -c "xensched check | grep 'nothing is logged here'"
finish
