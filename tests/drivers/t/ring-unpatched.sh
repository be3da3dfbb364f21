#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 1 --xen native
# box: --xen native --sockets 1 --cores 2
# time: 120
#
# The modules on a Xen without the log: rings are logged, and a mark fails with an error.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh

console_begin
check "the modules replace those of the kernel" use_drivers
disk_guest plain
is "requests are logged" \
    "$(requests on plain "disk-io /dev/xvda write 4096 100")" \
    "pages 100 100 write 100 800 others 0"
check "the guest module is there" in_guest plain \
    "insmod /lib/xensched/xensched_log.ko && \
insmod /lib/xensched/xensched_guest.ko"
check "a mark: not implemented" in_guest plain \
    "mark-device 7 1 2>&1 | grep -q 'Function not implemented'"
guest stop plain
check "the consoles have no errors" console_quiet
finish
