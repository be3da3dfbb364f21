#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: --sockets 2 --cores 2 --numa
# time: 600
#
# A front end is destroyed during its requests, repeatedly: all rows are complete, and blkback and
# the log continue.  Fails if a request that outlives its front end is logged in part, or twice, or
# if something of a destroyed front end is kept.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh

rounds=2
! full || rounds=8

# Requests of 4 KiB: one page, and eight sectors.  If a request completes just when the log begins
# or ends, one of its two events may be missing.
whole_rows()
{
    echo "$1"
    echo "$1" | awk '{
        for (i = 4; i < NF - 1; i += 3) {
            if (($i != "read" && $i != "write") || $(i + 2) != 8 * $(i + 1))
                exit 1
            requests += $(i + 1)
        }
        more = $2 - requests
        exit !($2 > 0 && $3 == $2 && more >= -4 && more <= 4 &&
               $(NF - 1) == "others" && $NF == 0) }'
}

console_begin
check "the modules replace those of the kernel" use_drivers
round=0
while [ $round -lt $rounds ]; do
    round=$((round + 1))
    name=victim$round
    guest start disk name=$name "disk=0" "xl=disk = [ 'phy:${disk:?},xvda,w' ]" \
        run='until [ -b /dev/xvda ]; do usleep 50000; done
        disk-io /dev/xvda write 4096 1
        while disk-io /dev/xvda write 4096 1000; do :; done & \
        while disk-io /dev/xvda read 4096 1; do :; done'
    count=$(ring-count on "$(xl domid $name)" \
        sh -c "usleep ${round}50000; xl destroy $name")
    check "destroyed in the midst of it: whole rows, $round" whole_rows "$count"
done
disk_guest last
is "the next one is logged as if nothing had been" \
    "$(requests on last "disk-io /dev/xvda write 4096 100")" \
    "pages 100 100 write 100 800 others 0"
guest stop last
check "nothing holds blkback" remove_module xen_blkback
check "nothing holds the module xensched_log" remove_module xensched_log
check "the consoles have no errors" console_quiet
finish
