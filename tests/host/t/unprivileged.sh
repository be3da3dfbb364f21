#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest may do nothing with the log facility: each operation is refused with
# EPERM, by Xen.  (Linux would refuse by itself, which is turned off in the
# guests of the box; dom0's answers show that the program does reach Xen.)

. /usr/lib/box/tap.sh

guest start idle name=intruder run='hypercall-try $(told domid)'
guest tell intruder domid "$(xl domid intruder)"
check "a guest is refused all operations" guest wait intruder 60
guest output intruder | while read -r name answer; do
    echo "$name $answer"
done >answers
for name in info setup files frames events bind binding release; do
    is "a guest is refused: $name" \
        "$(sed -n "s/^$name //p" answers)" EPERM
done

hypercall-try 0 >answers
is "dom0 is not" "$(sed -n 's/^info //p' answers)" ok
finish
