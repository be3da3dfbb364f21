#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --hvm --sockets 1 --cores 2
# time: 400
# only: full
#
# A PVH driver domain and its PVH guest are logged like PV ones: each mark of the guest is a row,
# each page that it writes or reads is in the matrix between the two, and it reads what it has
# written. Destroying the driver domain during I/O leaves nothing: neither its guest's pages, which
# its own tables map, nor its log, which the daemon maps, keep it.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/log.sh
stopped=

# served: prints the number of pages that the driver domain has moved for its guest.
served()
{
    xensched matrix | awk '
        $1 == "ring-pages" && $2 == "driver" && $4 == "client" { n = $7 }
        END { print n + 0 }'
}

# more_served COMMAND: prints by how many pages a command in the guest increases it.
more_served()
{
    before=$(served)
    in_guest client "$1" || return 1
    sleep 2
    echo $(($(served) - before))
}

console_begin
guest start driver type=pvh prepare='serve-disks /lib/xensched' run=obey
guest start obedient name=client type=pvh disk=8 backend=driver
for guest in driver client; do
    check "$guest is PVH" in_guest $guest "dmesg | grep -q 'on Xen PVH'"
done

log_set_up 65536
log_guest client "$ONE"
schedlog-area mark "$(domid client)" 1
logging mark in_guest client "mark 1000 50"
is "each mark is a row" "$(rows mark "$ONE" none)" 50
schedlog-area release

# Rows of the driver domain's Linux.
. /usr/lib/box/sources.sh
start_daemon --mode observe --log evtchn-send,ring-pages
driver=$(domid driver)
check "the driver domain's Linux is a source" until_true 20 \
    source_is "domain:$driver" reading
is "each page that is written is in the matrix" \
    "$(more_served 'disk-io /dev/xvda write 4096 300')" 300
is "each page that is read is in the matrix, with the written ones" \
    "$(more_served 'disk-io /dev/xvda read 4096 300')" 300
check "and they notify each other" pair evtchn-send driver client
check "no row was refused" test "$(refused "domain:$driver")" = 0

in_guest client "while disk-io /dev/xvda write 4096 300; do :; done" &
io=$!
check "the disk is busy" until_true 20 sh -c "[ \$(xensched matrix | awk '
    \$1 == \"ring-pages\" { n += \$7 } END { print n + 0 }') -gt 900 ]"
xl destroy driver
check "a driver domain that is destroyed during I/O ends" until_true 20 gone "$driver"
check "the source of the destroyed domain is removed" until_true 10 no_source "domain:$driver"
kill $io
guest stop client
stop_daemon TERM
is "the daemon ends cleanly" "$stopped" 0
check "the consoles have no errors" console_quiet
finish
