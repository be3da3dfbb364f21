#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What disks-stock.plan and disks-patched.plan have done, by their names; as a script the
# part of host-disks.sh that runs in dom0.

set -e
# shellcheck source=tests/bench/host/dom0.sh
. ./dom0.sh

# source_reads NAME: as "xensched status" says
source_reads()
{
    # Not -q: a pipeline whose writer is ended by SIGPIPE fails.
    xensched status | grep "^$1  *reading" >/dev/null
}

# know_by NAME: a daemon that knows of disks by this source, "" for statistics.  In none of
# them anything else is logged.
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

# The same daemon, which does not want to know.
know_nothing()
{
    start_daemon --mode observe --log none
}

# pages: between dom0 and the guest so far, by what the daemon knows
pages()
{
    sleep 2
    xensched matrix | awk '
        $1 == "ring-pages" && $2 == "Domain-0" && $4 == "bench" { n = $7 }
        END { print n + 0 }'
}

# sectors: which Linux has counted so far
sectors()
{
    cat /sys/bus/xen-backend/devices/vbd-*/statistics/[rw][dr]_sect |
        awk '{ n += $1 } END { print n + 0 }'
}

# requests WORKLOAD: instructions of each, pages that the daemon knows of, and those that
# there were.
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
