#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2
# box: --sockets 1 --cores 2
# time: 150
#
# The module xensched_ring attaches to the tracepoint that guest-drivers/upstream/ adds to
# xen-blkback: its rows are those of a xen-blkback with log sites.  Fails if a request has no row,
# or if the module keeps xen-blkback or the tracepoint in use while no event is on.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh

use_traced()
{
    modprobe null_blk nr_devices=1 gb=1 memory_backed=1 discard=1 cache_size=16 irqmode=1 &&
        rmmod xen-blkback &&
        insmod "${modules:?}/xensched_log.ko" && insmod $modules/xensched_ring.ko &&
        insmod $modules/xen-blkback-traced.ko
}

users()
{
    cat /sys/module/xen_blkback/refcnt
}

released() { [ "$(users)" = "$before" ]; }

console_begin
check "the module waits for a blkback with the tracepoint" use_traced
before=$(users)
disk_guest plain
is "each write, with a page and eight sectors" \
    "$(requests on plain "disk-io /dev/xvda write 4096 100")" \
    "pages 100 100 write 100 800 others 0"
is "each read" "$(requests on plain "disk-io /dev/xvda read 4096 100")" \
    "pages 100 100 read 100 800 others 0"
is "writes of 128 KiB, with a page more for the segments in it" \
    "$(requests on plain "disk-io /dev/xvda write 131072 10")" \
    "pages 10 330 write 10 2560 others 0"
is "discards" "$(requests on plain "disk-io /dev/xvda discard 65536 3")" \
    "pages 3 0 discard 3 384 others 0"
is "nothing while the events are off" \
    "$(requests off plain "disk-io /dev/xvda write 4096 100")" "pages 0 0 others 0"
guest stop plain
check "then nothing holds xen-blkback" until_true 10 released
check "so that it can go" remove_module xen-blkback
check "and come again" insmod $modules/xen-blkback-traced.ko
disk_guest again
is "its requests have rows, too" \
    "$(requests on again "disk-io /dev/xvda write 4096 10")" \
    "pages 10 10 write 10 80 others 0"
guest stop again
check "the consoles have no errors" console_quiet
finish
