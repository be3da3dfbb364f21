#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --hvm --sockets 1 --cores 2
# time: 200
# only: full
#
# Xen's events about a guest's disk that QEMU serves are as docs/internals/events.md says: a copy
# for each page of a request, and no map.  The test compares them with what the guest has read and
# written.  Fails if QEMU moves data without a row, or keeps grants mapped.

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

# logs COMMAND: sets variables to what is logged while the guest runs it.
logs()
{
    local code=0

    log_set_up 4194304
    log_guest user $ONE
    schedlog-area bind 0 all $TWO , route $TWO all 0
    logging grant-map,grant-unmap,grant-copy,evtchn-send in_guest user "$1" || code=$?
    copies=$(rows grant-copy $TWO $ONE)
    maps="$(rows grant-map $TWO $ONE) $(rows grant-unmap $TWO $ONE)"
    note "$copies copies, maps and unmaps: $maps, notifications:" \
        "$(rows evtchn-send $ONE $TWO) and $(rows evtchn-send $TWO $ONE)"
    return $code
}

(cd / && cpio -i -d -u 2>/dev/null) </boot/hvm.cpio # the device model
modprobe brd rd_nr=1 rd_size=16384
guest start obedient name=user \
    xl="disk = [ 'format=raw,backendtype=qdisk,vdev=xvda,access=w,target=/dev/ram0' ]"
check "it has a disk" in_guest user "until [ -b /dev/xvda ]; do usleep 100000; done"
is "QEMU serves the disk" \
    "$(xenstore-list "/local/domain/0/backend/qdisk/$(xl domid user)")" 51712

logs "dd if=/dev/xvda of=/dev/null bs=4k count=100 iflag=direct"
is "100 pages are read" $? 0
is "each page that is read is a copy" "$copies" 100
is "and no map" "$maps" "0 0"

logs "dd if=/dev/zero of=/dev/xvda bs=32k count=25 oflag=direct"
is "25 times 8 pages are written" $? 0
is "each page that is written is a copy" "$copies" 200
is "and no map for larger requests" "$maps" "0 0"

schedlog-area release
finish
