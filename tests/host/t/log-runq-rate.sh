#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: --mode exact --sockets 2 --cores 2
#
# Xen samples the run queue of each pCPU 100 times per second, and charges no domain for it.  In
# exact mode, where no pCPU misses a tick because this machine is busy.

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

log_set_up 1048576
schedlog-area route 1 runq 0
logging runq sleep 2
for cpu in 0 1 2 3; do
    check "pCPU $cpu: its run queue is sampled 100 times per second" \
        between 99 101 "$(awk -v cpu=$cpu -v khz="$(log_info tsc_khz)" '
            $1 == cpu && !rows { first = $6 }
            $1 == cpu { rows++; last = $6 }
            END { print (rows - 1) / (last - first) * khz * 1000 }' log.rows)"
done
is "no domain is charged for it" "$(rows runq 1 none)" "$(wc -l <log.rows)"
schedlog-area release
finish
