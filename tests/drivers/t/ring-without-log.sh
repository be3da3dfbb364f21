#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: --sockets 2 --cores 2 --numa
# time: 300
# only: full
#
# The patched blkback serves disks on a host where the log module cannot be loaded, and logs as soon
# as it is loaded.  Fails if a disk depends on the log.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh

console_begin
modprobe null_blk nr_devices=1 gb=1 memory_backed=1
rmmod xen-blkback
check "blkback can be loaded without the log" \
    insmod ${modules:?}/xen-blkback.ko
disk_guest served
check "and serves a disk" in_guest served \
    "disk-io /dev/xvda write 4096 100 && disk-io /dev/xvda read 4096 100"
guest stop served
check "blkback can be removed after its guest has ended" remove_module xen_blkback

insmod $modules/xen-blkback.ko
disk_guest logged
check "the log can come later" insmod $modules/xensched_log.ko
is "and has all from then on" \
    "$(requests on logged "disk-io /dev/xvda write 4096 100")" \
    "pages 100 100 write 100 800 others 0"
is "... and nothing when it is off" \
    "$(requests off logged "disk-io /dev/xvda read 4096 100")" \
    "pages 0 0 others 0"
check "it cannot go while blkback is there" sh -c '! rmmod xensched_log'
guest stop logged
check "nothing holds blkback" remove_module xen_blkback
check "nothing holds the module xensched_log" remove_module xensched_log
check "the consoles have no errors" console_quiet
finish
