#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 1 --xen native
# box: --xen native --sockets 1 --cores 2
#
# A Xen without the patches rejects each operation of the log facility as unknown; the daemon and
# the command report that, with the remedy, and change nothing.

. /usr/lib/box/tap.sh

check "nothing is allowed" hypercall-try 0
hypercall-try 0 >answers
for name in info setup files frames events pmc owners caches binding bind times \
            clock allow mark release; do
    is "$name" "$(sed -n "s/^$name //p" answers)" ENOSYS
done

xenschedd >daemon.txt 2>&1
is "the daemon ends at once" "$?" 1
check "it names what this Xen lacks" grep -q "CONFIG_SCHEDLOG=y" daemon.txt
check "it leaves no state behind" test ! -e /var/lib/xensched/state.json
xensched check >check.txt 2>&1
is "xensched check fails" "$?" 1
check "and names what this Xen lacks" grep -q "CONFIG_SCHEDLOG=y" check.txt
finish
