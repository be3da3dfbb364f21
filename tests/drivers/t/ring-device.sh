#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: --sockets 2 --cores 2 --numa
# time: 200
#
# /dev/xensched-log has the properties of the hypervisor's log: only root can open it, it accepts
# nothing invalid, programs cannot write rows, random data in the shared words harms neither data
# nor dom0, and a scheduler that has ended costs nothing.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh

console_begin
check "the modules replace those of the kernel" use_drivers
is "the device is root's" "$(stat -c '%u %a' /dev/xensched-log)" "0 600"
check "invalid requests are refused" ring-try refusals
check "STATE and DATA can only be read" ring-try mappings
check "mapped pages outlive the area, and are counted" ring-try kept
check "no process waits for memory that another one misses" ring-try faults
check "a lease is renewed, ends, and keeps others away" ring-try lease
dmesg -c >/dev/null

disk_guest busy
in_guest busy "disk-io /dev/xvda write 4096 2000"
in_guest busy "while disk-io /dev/xvda write 4096 2000; do :; done" &
io=$!
check "a listener hears when a log buffer is past its mark" ring-try doorbell
is "the first row is about the numbers that were given before" \
    "$(ring-numbers "$(xl domid busy)" 10)" "wrong 0"
kill -STOP "$(cat /run/xen/xenstored.pid)"
check "while xenstored hangs nothing is turned on, and no process hangs with it" \
    ring-try unanswered
kill -CONT "$(cat /run/xen/xenstored.pid)"
kill $io
guest stop busy
disk_guest busy
ring-try noise 5 >noise.txt 2>&1 &
noise=$!
check "with noise in the shared words, data is right" in_guest busy \
    "disk-io /dev/xvda write 4096 3000 && disk-io /dev/xvda read 4096 3000"
wait $noise
code=$?
is "the noise was there" "$code $(cat noise.txt)" "0 "
is "and afterwards all is logged" \
    "$(requests on busy "disk-io /dev/xvda read 4096 200")" \
    "pages 200 200 read 200 1600 others 0"
guest stop busy
check "the consoles have no errors" console_quiet
finish
