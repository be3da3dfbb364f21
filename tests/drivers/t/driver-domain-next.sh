#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4 --xen-append xsm=dummy
# box: --sockets 2 --cores 2 --numa
# time: 500
# only: full
#
# A driver domain succeeds another one, the daemon is killed, and a driver domain is destroyed while
# the daemon stands still: in each case the log is read, and unmapped in time, because a mapping
# keeps a domain that has ended.  driver-domain-log.sh tests the rest.

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
check "the modules replace those of the kernel" use_drivers
guest start paced name=local
start_daemon --log evtchn-send,ring-pages
guest start driver prepare='serve-disks /lib/xensched'
guest start paced name=first backend=driver
driver=$(xl domid driver)
check "a driver domain is a source" until_true 20 source_is "domain:$driver" reading
xl destroy driver
check "a destroyed driver domain is no source" until_true 10 no_source "domain:$driver"
guest stop first

guest start driver prepare='serve-disks /lib/xensched'
guest start paced name=next backend=driver
driver=$(xl domid driver)
check "another driver domain is the next source" \
    until_true 20 source_is "domain:$driver" reading
check "with the pages of its guest" until_true 20 pair ring-pages driver next
check "its pages are not mixed up with dom0's" \
    test -z "$(pairs ring-pages | grep -E 'Domain-0:next|driver:local')"

# The daemon is killed.
area=$(area_of "$driver")
stop_daemon KILL
start_daemon --log evtchn-send,ring-pages
check "the next daemon reads it, too" \
    until_true 20 source_is "domain:$driver" reading
is "it has taken over the area" "$(area_of "$driver")" "$area"
check "there are pages again" until_true 20 pair ring-pages driver next
stop_daemon TERM
is "the daemon ends cleanly" "$stopped" 0
check "no log is requested any more" until_true 10 nothing_asked "$driver"

# A driver domain is destroyed while the daemon stands still.
start_daemon --log evtchn-send,ring-pages
check "the log is read again" until_true 20 source_is "domain:$driver" reading
kill -STOP "${daemon:?}"
xl destroy driver
check "a destroyed domain exists as long as its log is mapped" \
    sh -c "usleep 500000; xl list | awk '{ print \$2 }' | grep -q -x $driver"
kill -CONT "$daemon"
check "and ends when the daemon continues" \
    until_true 20 gone "$driver"
stop_daemon TERM
guest stop next
guest stop local
check "the consoles have no errors" console_quiet
finish
