#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4 --xen-append xsm=dummy
# box: --sockets 2 --cores 2 --numa
# time: 400
#
# The daemon reads the log of a driver domain: a back end's work for a guest appears between these
# two, and not with another back end that is as busy.  When the driver domain is destroyed the
# daemon unmaps its log at once, which would otherwise keep the domain, and continues to read the
# other sources.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/sources.sh
stopped=

console_begin
check "the modules replace those of the kernel" use_drivers
guest start driver prepare='serve-disks /lib/xensched'
guest start paced name=local &
guest start paced name=remote backend=driver &
wait
driver=$(xl domid driver)

start_daemon --log evtchn-send,ring-pages
check "a driver domain is a source" until_true 20 source_is "domain:$driver" reading
check "dom0's Linux is a source" source_is linux reading
check "there are pages between the driver domain and its guest" \
    until_true 20 pair ring-pages driver remote
check "and between dom0 and its own" until_true 10 pair ring-pages Domain-0 local
is "and no others" "$(pairs ring-pages)" "Domain-0:local driver:remote "
check "no row was refused" test "$(refused "domain:$driver")" = 0

# It is destroyed during I/O.
before=$(rows hypervisor)
xl destroy driver
check "a destroyed driver domain ends" until_true 10 gone "$driver"
check "the source of the destroyed domain is removed" until_true 10 no_source "domain:$driver"
check "the hypervisor's log is still read" \
    until_true 10 more_rows hypervisor "$before"
check "and that of dom0's Linux" until_true 10 more_rows linux "$(rows linux)"
guest stop remote
stop_daemon TERM
is "the daemon ends cleanly" "$stopped" 0
guest stop local
check "the consoles have no errors" console_quiet
finish
