#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# only: full
#
# A guest's disk is a RAM disk of dom0 behind blkback: it has the requested size, and dom0 finds on
# it what the guest writes.  Without blkback (with a disk in the guest's own memory, for example),
# no grant would be mapped and no notification sent, and the tests of both would have no events.

. /usr/lib/box/tap.sh

cat >writer.guest <<'END'
disk=3
run='
blockdev --getsize64 /dev/xvda
dd if=/dev/urandom of=noise bs=4k count=100 2>/dev/null
dd if=noise of=/dev/xvda bs=4k seek=10 oflag=direct 2>/dev/null
md5sum <noise | cut -c1-32'
END

guest start writer
guest wait writer 60
is "the guest's script succeeds" $? 0
device=$(sed -n "s/^disk = \[ 'phy:\([^,]*\),.*/\1/p" /run/guests/writer/config)
size=$(guest output writer | sed -n 1p)
written=$(guest output writer | sed -n 2p)
found=$(dd if="$device" bs=4k skip=10 count=100 2>/dev/null | md5sum |
        cut -c1-32)
is "the disk has the requested size" "$size" 3145728
is "dom0 finds on it what the guest wrote" "$found" "$written"

guest start disk
before=$(cat /sys/bus/xen-backend/devices/vbd-*/statistics/wr_req)
usleep 500000
check "the disk guest writes all the time" test \
    "$(cat /sys/bus/xen-backend/devices/vbd-*/statistics/wr_req)" -gt "$before"
guest start writer name=second
check "two guests have two disks" \
    test "$(cat /run/guests/disk/disk)" != "$(cat /run/guests/second/disk)"
finish
