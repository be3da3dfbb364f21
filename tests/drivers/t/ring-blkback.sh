#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4 --dom0-vcpus 2
# box: --sockets 2 --cores 2 --numa
# time: 700
#
# A guest makes a known number of requests of known sizes to its disk: blkback logs exactly these,
# with their pages, sectors and kinds, with and without persistent grants and indirect segments, and
# with one ring or two; and the guest reads back what it has written.  Fails if a path of blkback
# has no log site, or two, or counts something else.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh

# all_kinds NAME: 4 KiB and 128 KiB; the latter has one more page, with the segments in it.
all_kinds()
{
    is "$1: writes of 4 KiB" \
        "$(requests on "$1" "disk-io /dev/xvda write 4096 300")" \
        "pages 300 300 write 300 2400 others 0"
    is "$1: reads of 4 KiB, with the data that was written" \
        "$(requests on "$1" "disk-io /dev/xvda read 4096 300")" \
        "pages 300 300 read 300 2400 others 0"
    is "$1: writes of 128 KiB, indirect segments" \
        "$(requests on "$1" "disk-io /dev/xvda write 131072 40")" \
        "pages 40 1320 write 40 10240 others 0"
    is "$1: reads of 128 KiB, with the data that was written" \
        "$(requests on "$1" "disk-io /dev/xvda read 131072 40")" \
        "pages 40 1320 read 40 10240 others 0"
    is "$1: flushes" "$(requests on "$1" "disk-io /dev/xvda flush 20")" \
        "pages 20 0 flush 20 0 others 0"
    is "$1: discards" \
        "$(requests on "$1" "disk-io /dev/xvda discard 65536 30")" \
        "pages 30 0 discard 30 3840 others 0"
}

# persistent NAME: does its back end use persistent grants?
persistent()
{
    xenstore-read "/local/domain/0/backend/vbd/$(xl domid "$1")/51712/feature-persistent"
}

numbers=/local/domain/0/schedlog/acct

console_begin
check "the modules replace those of the kernel" use_drivers

disk_guest keeps
is "persistent grants are on" "$(persistent keeps)" 1
all_kinds keeps
is "nothing is logged while the events are off" \
    "$(requests off keeps "disk-io /dev/xvda write 4096 100")" \
    "pages 0 0 others 0"

# Accounting domains.
xenstore-write $numbers/"$(domid keeps)" 40
is "a number given through xenstore is its accounting domain" \
    "$(requests on keeps "disk-io /dev/xvda write 4096 10")" \
    "pages 10 10 write 10 80 others 0"
xenstore-write $numbers/"$(domid keeps)" 0
is "requests of the back end's own accounting domain are not logged" \
    "$(requests on keeps "disk-io /dev/xvda write 4096 10")" \
    "pages 0 0 others 0"
xenstore-write $numbers/"$(domid keeps)" 40
xenstore-rm $numbers
xenstore-write $numbers/99 41
is "while only another one has a number: not logged" \
    "$(ring-count on "$(domid keeps)" sh ./requests-go)" \
    "pages 0 0 others 0"
xenstore-rm $numbers
is "while no domain has a number it is its domid" \
    "$(ring-count on "$(domid keeps)" sh ./requests-go)" \
    "pages 10 10 write 10 80 others 0"

xenstore-write $numbers/99 41
xenstore-rm $numbers/99
is "when the last number has gone, too" \
    "$(ring-count on "$(xl domid keeps)" sh ./requests-go)" \
    "pages 10 10 write 10 80 others 0"

# Modules that are in use.
check "blkback with a live ring cannot be unloaded" sh -c '! rmmod xen-blkback'
check "the log module cannot, while blkback is there" sh -c \
    '! rmmod xensched_log'
guest stop keeps

echo N >/sys/module/xen_blkback/parameters/feature_persistent
disk_guest maps
is "persistent grants are off" "$(persistent maps)" 0
all_kinds maps

# The disk no longer supports discards, which its guest does not know.  (Linux 6.12 cannot undo
# that.)
queue=/sys/block/$(basename "${disk:?}")/queue
echo 0 >"$queue/discard_max_bytes"
is "a discard that fails has the sectors it asked for" \
    "$(requests on maps "disk-io /dev/xvda discard 65536 1 || :")" \
    "pages 1 0 discard 1 128 others 0"
guest stop maps

# One ring per vCPU; both complete requests at the same time, in hard interrupts.
remove_module null_blk
modprobe null_blk nr_devices=1 gb=1 memory_backed=1 irqmode=2 submit_queues=2
disk_guest wide vcpus=2 memory=192
is "two rings" "$(
    xenstore-list "/local/domain/$(xl domid wide)/device/vbd/51712" |
    grep -c '^queue-')" 2
both='taskset 1 disk-io /dev/xvda write 4096 200 & \
taskset 2 disk-io /dev/xvda write 4096 200 200; wait'
is "both rings are logged" "$(requests on wide "$both")" \
    "pages 400 400 write 400 3200 others 0"
is "the data that both wrote are there" \
    "$(requests on wide "disk-io /dev/xvda read 4096 400")" \
    "pages 400 400 read 400 3200 others 0"

# Every third request (on each CPU of dom0) is logged.
rows=$(requests 3 wide "$both" | cut -d' ' -f2)
note "threshold 3: $rows rows for 400 requests"
check "threshold 3: a third of the rows" test "$rows" -ge 132 -a "$rows" -le 133
guest stop wide

check "the consoles have no errors" console_quiet
finish
