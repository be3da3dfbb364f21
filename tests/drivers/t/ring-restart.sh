#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --hvm --sockets 1 --cores 2
# time: 300
# only: full
#
# A driver domain starts another system in the place of its Linux (kexec) while the daemon reads its
# log.  Fails if the log's frames are still in xenstore, or still mapped by the daemon, when this
# Linux ends, because the next system uses them for other data.
#
# The domain is PVH, because a PV domain cannot kexec.  Its Linux ends with a soft reset, which xl
# performs for HVM only, so the domain stays in that state.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/sources.sh
stopped=

# of_log NODE: prints what the driver domain has written.
of_log()
{
    xenstore-read "/local/domain/$driver/schedlog/area/$1" 2>/dev/null
}

has_ended()
{
    xl list driver | awk 'NR == 2 { print $5 }' | grep -q s
}

console_begin
guest start driver type=pvh prepare='serve-disks /lib/xensched' run=obey \
    xl="driver_domain = 1
on_soft_reset = 'preserve'"
guest start paced backend=driver
driver=$(domid driver)
start_daemon --mode observe --log evtchn-send,ring-pages
check "a driver domain is read" until_true 20 source_is "domain:$driver" reading
check "its frames are in xenstore" test -n "$(of_log directory)"

check "it starts another system" in_guest driver \
    'setsid kexec-page >/dev/null 2>&1 </dev/null &'
check "its Linux ends" until_true 30 has_ended
is "the frames are not in xenstore any more" "$(of_log directory)" ""
is "events were off" "$(of_log events)" ""
check "the daemon has seen that" grep -q \
    "source domain:$driver: it has given its log up" "${daemon_log:?}"
check "and had unmapped them before the end" \
    sh -c "! guest console driver | grep 'still have the log mapped'"
check "it does not read what is there now" sh -c \
    "sleep 3; ! xensched status | grep '^domain:$driver *reading'"

guest stop paced
guest stop driver
stop_daemon TERM
is "the daemon ends cleanly" "$stopped" 0
check "nothing of the domain is left" until_true 10 gone "$driver"
check "the consoles have no errors" console_quiet
finish
