#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 1 --cores 2
# time: 240
#
# With Debian's own xen-blkback, xenschedd has a program in the kernel log each request
# that dom0 serves, page by page; and the program is there only as long as it is needed:
# not without a disk, not after the daemon, however that ended.  Fails if a request is lost
# or counted twice, or if something of it stays in xen-blkback.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/sources.sh

mount -t tracefs none /sys/kernel/tracing

# Linux's own list of functions that call somebody when they begin.
attached()
{
    grep -q xen_blkbk_unmap_and_respond_callback \
        /sys/kernel/tracing/enabled_functions
}

not_attached()
{
    ! attached
}

xensched check >check.txt 2>&1
check "xensched check says how disks are known" \
    grep "^ok *disks: each request, by an eBPF program" check.txt
start_daemon
is "the daemon starts" $? 0
sleep 3
check "without a disk there is no program" not_attached
guest start obedient name=one disk=16
guest start obedient name=two disk=16
check "with one there is" until_true 10 source_is ebpf reading
check "in xen-blkback" attached
is "300 requests of a page" \
    "$(more_pages one 'disk-io /dev/xvda write 4096 300')" 300
is "40 of 32 pages and one with their segments" \
    "$(more_pages one 'disk-io /dev/xvda write 131072 40')" 1320
is "another guest's" "$(more_pages two 'disk-io /dev/xvda write 4096 100')" 100
is "reads as well" "$(more_pages two 'disk-io /dev/xvda read 4096 100')" 100
is "what is not I/O is not in it" "$(more_pages one 'sleep 1')" 0
guest stop two
guest start obedient name=three disk=16
sleep 2
is "of a guest that is new" \
    "$(more_pages three 'disk-io /dev/xvda write 4096 200')" 200
is "no row is lost" "$(source_field ebpf 4)" 0
stop_daemon KILL
check "killed, the daemon takes its program along" until_true 5 not_attached
start_daemon
check "the next one has its own" until_true 10 source_is ebpf reading
is "which logs" "$(more_pages one 'disk-io /dev/xvda write 4096 50')" 50
guest stop one
guest stop three
check "without a disk it goes" until_true 10 not_attached
check "and so can xen-blkback" until_true 10 rmmod xen_blkback
modprobe xen-blkback
guest start obedient name=four disk=16
check "it comes again" until_true 10 source_is ebpf reading
is "and logs" "$(more_pages four 'disk-io /dev/xvda write 4096 50')" 50
stop_daemon TERM
is "the daemon ends cleanly" "${stopped:?}" 0
check "and nothing is left in xen-blkback" not_attached

start_daemon --log evtchn-send,ring-pages:3
check "with a threshold" until_true 10 source_is ebpf reading
before=$(rows ebpf)
estimate=$(more_pages four 'disk-io /dev/xvda write 4096 300')
note "threshold 3: 300 requests, $(($(rows ebpf) - before)) rows, $estimate pages"
check "a third of the requests, on each CPU, makes rows" \
    test $(($(rows ebpf) - before)) -ge 98 -a $(($(rows ebpf) - before)) -le 102
check "the matrix counts each for three" \
    test "$estimate" -ge 294 -a "$estimate" -le 306
stop_daemon TERM
finish
