#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2
# box: --sockets 1 --cores 2
# time: 200
#
# Without xensched's modules, the daemon learns from Linux's statistics what dom0's xen-blkback does
# for each guest: pages that were read and written, and pages of segments.  Fails if pages are lost
# or counted twice, or if I/O from before the daemon's start counts.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

start_all one:disk=16 two:disk=16
check "a guest writes before there is a daemon" \
    in_guest one 'disk-io /dev/xvda write 4096 50'
start_daemon
is "the daemon starts" $? 0
xensched check >check.txt 2>&1
check "the source of disk I/O is reported" \
    grep "^ok *disks: rates, from Linux's statistics" check.txt
sleep 2
is "earlier requests do not count" "$(pages one)" 0
is "300 requests of a page" \
    "$(more_pages one 'disk-io /dev/xvda write 4096 300')" 300
is "40 of 32 pages, and of one for their segments" \
    "$(more_pages one 'disk-io /dev/xvda write 131072 40')" $((40 * 33))
is "another guest's 100 requests" "$(more_pages two 'disk-io /dev/xvda write 4096 100')" 100
is "reads as well" "$(more_pages two 'disk-io /dev/xvda read 4096 100')" 100
is "without I/O no page is counted" "$(more_pages one 'sleep 1')" 0
guest stop two
guest start obedient name=three disk=16
sleep 1
is "the pages of a new guest are counted" \
    "$(more_pages three 'disk-io /dev/xvda write 4096 200')" 200
stop_daemon TERM
is "it ends cleanly" "${stopped:?}" 0
finish
