#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --hvm --mode exact --sockets 1 --cores 2
# time: 200
# only: full
#
# Xen notifies the device model on behalf of an HVM guest: a notification of the guest for each
# request, and a notification of dom0 for each answer.  Fails if either is missed, counted twice, or
# charged to another domain, or if the pages that Xen keeps for this count as the guest's.  Each
# request is an exit because of the port.

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

# The 256 ports of Xen's platform device, which QEMU emulates.
ports='0x$(sed -n "s/ *\(....\)-.* 0000:00:02.0/\1/p" /proc/ioports)'

# reads N: reads each of these ports N times
reads()
{
    in_guest asker "
        for i in \$(seq $1); do
            dd if=/dev/port of=/dev/null bs=1 skip=\$(($ports)) count=256 2>/dev/null
        done"
}

# The guest is paused, so that its memory stays the same.
shrink()
{
    xl mem-set asker 100
    until between 25300 25900 "$(domain-usage pages "$(domid asker)")" >/dev/null; do
        usleep 100000
    done
    xl pause asker
}

guest start obedient name=asker type=hvm
log_set_up 4194304
log_guest asker $ONE
schedlog-area bind 0 all $TWO , route $TWO all 0
logging evtchn-send,evtchn-recv reads 4
# A few more are of its console and of xenstore.
check "1024 requests are 1024 notifications" \
    between 1024 1100 "$(rows evtchn-send $ONE $TWO)"
check "and there are as many answers" between 1024 1100 "$(rows evtchn-send $TWO $ONE)"
check "dom0 receives each of them" between 1024 1100 "$(rows evtchn-recv $TWO $ONE)"

# QEMU emulates a CPU of AMD's: public/schedlog.h has the meaning of the number.
logging_exits()
{
    reads 4
    usleep 50000
}
log_set_up 4194304
log_guest asker $ONE
logging exit-time logging_exits
read -r times us <<SUMS
$(awk -v acct=$ONE '
    $2 == "exit-time" && $3 == acct && int($5 / 18014398509481984) == 512 + 123 {
        times += int($5 / 4294967296) % 4194304
        ns += $5 % 4294967296
    }
    END { print times + 0, int(ns / 1000) }' log.rows)
SUMS
check "there are as many exits" between 1024 1400 "$times"
check "each exit takes some time" between 1024 10240000 "$us"

log_set_up 4194304
log_guest asker $ONE
logging memory shrink
is "the last row of its memory has Xen's number" \
    "$(counters memory | awk '{ print $NF }')" "$(domain-usage pages "$(domid asker)")"
schedlog-area release
finish
