#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --hvm --mode exact --sockets 1 --cores 2
# time: 200
# only: full
#
# What an HVM guest asks of its device model, Xen asks for it: a notification of the
# guest's for each request, and one of dom0's for each answer.  Fails if either is
# missed, counted twice, or charged to somebody else.

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

# The 256 ports of Xen's platform device, which is QEMU's.
ports='0x$(sed -n "s/ *\(....\)-.* 0000:00:02.0/\1/p" /proc/ioports)'

# reads N: of each of these ports
reads()
{
    log_set_up 4194304
    log_guest asker $ONE
    schedlog-area bind 0 all $TWO , route $TWO all 0
    logging evtchn-send,evtchn-recv in_guest asker "
        for i in \$(seq $1); do
            dd if=/dev/port of=/dev/null bs=1 skip=\$(($ports)) count=256 2>/dev/null
        done"
}

guest start obedient name=asker type=hvm
reads 0
others=$(rows evtchn-send $ONE $TWO)
answers=$(rows evtchn-send $TWO $ONE)
note "beside its requests: $others notifications, $answers of dom0's"
reads 4
check "1024 requests are 1024 notifications" \
    between 1020 1030 $(($(rows evtchn-send $ONE $TWO) - others))
check "and so many answers" \
    between 1020 1030 $(($(rows evtchn-send $TWO $ONE) - answers))
check "dom0 notices each of them" between 1020 1060 "$(rows evtchn-recv $TWO $ONE)"
schedlog-area release
finish
