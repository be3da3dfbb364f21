#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Has the functions that disks-stock.plan and disks-patched.plan call; as a script, the
# part of host-disks.sh that runs in dom0.

set -e
# shellcheck source=tests/bench/host/dom0.sh
. ./dom0.sh

# source_reads NAME: whether "xensched status" reports this source
source_reads()
{
    # Without -q: SIGPIPE would end the writer, and the pipeline would fail.
    xensched status | grep "^$1  *reading" >/dev/null
}

# know_by NAME: starts a daemon that counts disk requests by this source, "" for
# statistics, and logs nothing else.
know_by()
{
    start_daemon --mode observe --log ring-pages
    sleep 3
    if [ -n "$1" ]; then
        source_reads "$1"
    else
        ! source_reads linux
    fi
}

# The same daemon without a source of disk requests.
know_nothing()
{
    start_daemon --mode observe --log none
}

# pages: the daemon's count of pages between dom0 and the guest so far
pages()
{
    sleep 2
    xensched matrix | awk '
        $1 == "ring-pages" && $2 == "Domain-0" && $4 == "bench" { n = $7 }
        END { print n + 0 }'
}

# sectors: Linux's count so far
sectors()
{
    cat /sys/bus/xen-backend/devices/vbd-*/statistics/[rw][dr]_sect |
        awk '{ n += $1 } END { print n + 0 }'
}

# requests WORKLOAD: prints the instructions of each request, the pages that the daemon
# counted, and those that were transferred.
requests()
{
    local before known

    known=$(pages)
    before=$(sectors)
    measure bench "$1" >/tmp/measured
    echo "value pages $(($(pages) - known))"
    echo "value done $((($(sectors) - before) / 8))"
    awk '$1 == "value" { of[$2] = $3 }
         END {
             printf "value instructions %.1f /request\n",
                    of["instructions"] / of["operations"]
         }' /tmp/measured
}

# Both in one boot: the guest starts again, with the patched xen-blkback instead of the kernel's.
begin()
{
    # shellcheck source=tests/bench/host/plan-dom0.sh
    . ./plan-dom0.sh
    guest start bench
    do_plan disks-stock.plan
    mv "$RESULTS/runs.sqlite" "$RESULTS/stock.sqlite"
    rm /tmp/runs.sqlite
    guest stop bench
    sleep 2
    our_drivers
    guest start bench
    do_plan disks-patched.plan
    mv "$RESULTS/runs.sqlite" "$RESULTS/patched.sqlite"
}

case $0 in
*disks-dom0.sh) begin ;;
esac
