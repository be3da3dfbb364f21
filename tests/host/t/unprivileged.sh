#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
#
# A guest may use no operation of the log facility: Xen refuses each with EPERM, and nothing
# changes.  (Linux would refuse as well, which is turned off in the box's guests; dom0's answers
# show that the program reaches Xen.)

. /usr/lib/box/tap.sh

check "dom0 makes a log" schedlog-area setup 8 4096
frame=$(schedlog-area frames 0 | head -n 1)
schedlog-area info >before

guest start idle name=intruder run='hypercall-try $(told domid) $(told frame)'
guest tell intruder frame "$frame"
guest tell intruder domid "$(xl domid intruder)"
check "a guest is refused all operations" guest wait intruder 60
guest output intruder | while read -r name answer; do
    echo "$name $answer"
done >answers
for name in info setup files frames map map-writable events pmc owners caches \
            binding bind times clock allow mark release; do
    is "a guest is refused: $name" \
        "$(sed -n "s/^$name //p" answers)" EPERM
done

schedlog-area info >after
check "dom0's log is unchanged" diff before after
check "dom0 releases it" schedlog-area release

hypercall-try 0 >answers
for name in info setup files frames map map-writable events owners caches \
            binding bind times clock allow mark release; do
    is "dom0 is not refused: $name" "$(sed -n "s/^$name //p" answers)" ok
done
is "dom0 learns that there is no PMU here" \
    "$(sed -n 's/^pmc //p' answers)" ENODEV
finish
