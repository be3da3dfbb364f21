#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 2 --numa
# time: 500
# only: full
#
# A driver domain comes after another one, under a daemon that is killed, and
# dies under one that stands still: each log is read by the reader that can, and let go,
# or the dead domain would stay for ever.  (driver-domain-log.sh has the rest.)

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/sources.sh
stopped=

area_of()
{
    xenstore-read "/local/domain/$1/schedlog/area/directory"
}

nothing_asked()
{
    ! xenstore-exists "/local/domain/$1/schedlog/request" &&
        ! xenstore-exists "/local/domain/$1/schedlog/area/directory"
}

console_begin
check "our modules take the place of the kernel's" use_drivers
guest start paced name=local
start_daemon --log evtchn-send,ring-pages
guest start driver prepare='serve-disks /lib/xensched'
guest start paced name=first backend=driver
driver=$(xl domid driver)
check "a driver domain is a source" until_true 20 source_is "domain:$driver" reading
xl destroy driver
check "one that is destroyed is none" until_true 10 no_source "domain:$driver"
guest stop first

guest start driver prepare='serve-disks /lib/xensched'
guest start paced name=next backend=driver
driver=$(xl domid driver)
check "another driver domain is the next source" \
    until_true 20 source_is "domain:$driver" reading
check "with the pages of its guest" until_true 20 pair ring-pages driver next
check "its pages are not mixed up with dom0's" \
    test -z "$(pairs ring-pages | grep -E 'Domain-0:next|driver:local')"

# The death of the daemon.
area=$(area_of "$driver")
stop_daemon KILL
start_daemon --log evtchn-send,ring-pages
check "the next daemon reads it, too" \
    until_true 20 source_is "domain:$driver" reading
is "it has taken the area over" "$(area_of "$driver")" "$area"
check "there are pages again" until_true 20 pair ring-pages driver next
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
check "nothing is asked for any more" until_true 10 nothing_asked "$driver"

# A driver domain that dies while the daemon stands still.
start_daemon --log evtchn-send,ring-pages
check "it is read once more" until_true 20 source_is "domain:$driver" reading
kill -STOP "${daemon:?}"
xl destroy driver
check "a dead one stays for as long as its log is mapped" \
    sh -c "usleep 500000; xl list | awk '{ print \$2 }' | grep -q -x $driver"
kill -CONT "$daemon"
check "and goes when the daemon goes on" \
    until_true 20 gone "$driver"
stop_daemon TERM
guest stop next
guest stop local
check "the consoles have no complaint" console_quiet
finish
