#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 2 --numa
# time: 700
#
# The daemon reads the log of a driver domain as one more source: what a back
# end does for a guest is found between these two, and not with another back
# end that is as busy.  When the driver domain dies its log is let go at once,
# or the dead domain would stay; when there is another one, that is read; and
# no other source is in the way meanwhile.

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
guest start driver prepare='serve-disks /lib/xensched'
guest start paced name=local &
guest start paced name=remote backend=driver &
wait
driver=$(xl domid driver)

start_daemon --log evtchn-send,ring-pages
check "a driver domain is a source" until_true 20 source_is "domain:$driver" reading
check "so is dom0's Linux" source_is linux reading
check "there are pages between the driver domain and its guest" \
    until_true 20 pair ring-pages driver remote
check "and between dom0 and its own" until_true 10 pair ring-pages Domain-0 local
is "and no others" "$(pairs ring-pages)" "Domain-0:local driver:remote "
check "no row was refused" test "$(refused "domain:$driver")" = 0

# Its death, under I/O.
before=$(rows hypervisor)
xl destroy driver
check "a driver domain that is destroyed goes" until_true 10 gone "$driver"
check "so does the source" until_true 10 no_source "domain:$driver"
check "the hypervisor's log is still read" \
    until_true 10 more_rows hypervisor "$before"
check "and that of dom0's Linux" until_true 10 more_rows linux "$(rows linux)"
guest stop remote

# Another one.
guest start driver prepare='serve-disks /lib/xensched'
guest start paced name=next backend=driver
driver=$(xl domid driver)
check "another driver domain is the next source" \
    until_true 20 source_is "domain:$driver" reading
check "with the pages of its guest" until_true 20 pair ring-pages driver next
check "which are not mixed up with dom0's" \
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
check "nobody complained" console_quiet
finish
