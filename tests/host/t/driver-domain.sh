#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4 --xen-append xsm=dummy
# time: 240
# only: full
#
# A driver domain serves another guest's disk without dom0: the guest's data are on the driver
# domain's disk and not on dom0's.  When the driver domain dies during I/O it leaves nothing behind,
# and another driver domain, with guests of its own, replaces it.  Fails if dom0 takes part in the
# I/O, if mapped pages keep either domain in existence, or if nodes in xenstore stay.

. /usr/lib/box/tap.sh

backend_of()
{
    echo "/local/domain/$1/backend"
}

# The threads of dom0 that serve disks, and the statistics of its disks.
dom0_disks()
{
    xenstore-list "$(backend_of 0)" | grep vbd
    find /sys/bus/xen-backend/devices/ -name 'vbd-*'
    cat /proc/diskstats
}

# domids: prints the domids of all domains, dying ones included.
domids()
{
    xl list | awk 'NR > 1 { print $2 }' | sort -n | tr '\n' ' '
}

only_domids()
{
    [ "$(domids)" = "$1" ]
}

no_node()
{
    ! xenstore-exists "$1"
}

nothing_served()
{
    [ -z "$(in_guest driver "echo disks: \$(ls /run/ram-disks)" &&
            guest output driver | sed -n 's/^disks: //p' | tail -n 1)" ]
}

# The end of a guest's output.
said()
{
    guest output "$1" | grep -v '^done' | tail -n 1
}

# checksum FILE: of the data that disk-io writes below.
checksum()
{
    echo "dd if=$1 bs=4k count=200 iflag=direct 2>/dev/null | md5sum"
}

guest start driver run=obey
is "a driver domain starts" $? 0
before=$(dom0_disks)
guest start obedient name=client disk=8 backend=driver
is "a guest that has its disk from it starts" $? 0
in_guest client "blockdev --getsize64 /dev/xvda"
is "the disk has the requested size" "$(said client)" 8388608
check "the guest reads what it has written" in_guest client \
    "disk-io /dev/xvda write 4096 200 && disk-io /dev/xvda read 4096 200 && \
disk-io /dev/xvda write 131072 20 10 && disk-io /dev/xvda read 131072 20 10"
in_guest client "$(checksum /dev/xvda)"
in_guest driver "$(checksum /dev/ram0p1)"
is "the data are on the driver domain's disk" "$(said driver)" "$(said client)"
is "dom0 serves no disk, and its own disks were not used" \
    "$(dom0_disks)" "$before"
guest stop client
check "the disk is removed with the guest" \
    until_true 20 no_node "$(backend_of "$(xl domid driver)")/vbd"
check "and is free for another one" until_true 20 nothing_served

first=$(xl domid driver)
guest start disk name=busy backend=driver
guest start obedient name=other
check "the disk is busy" until_true 20 sh -c 'guest output busy | grep -q written'
xl destroy driver
left="0 $(xl domid busy) $(xl domid other) "
check "destroyed during I/O, it ends, and no other domain" until_true 20 only_domids "$left"
check "its nodes in xenstore are removed" no_node "/local/domain/$first"
check "the guest without a disk can be stopped as usual" guest stop busy
check "and ends" until_true 20 only_domids "0 $(xl domid other) "
check "other guests continue" in_guest other true

guest start driver
check "another driver domain has another domid" \
    test "$(xl domid driver)" -gt "$first"
guest start obedient name=client disk=4 backend=driver
check "it serves guests as the first one did" in_guest client \
    "disk-io /dev/xvda write 4096 200 && disk-io /dev/xvda read 4096 200"
guest stop client
guest stop driver
guest stop other
check "no domain is left" until_true 20 only_domids "0 "
is "and no node in xenstore" "$(xenstore-list /libxl)" ""
finish
