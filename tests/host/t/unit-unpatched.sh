#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --xen native --sockets 1 --cores 2 --systemd
# only: full
#
# A machine that has the package and boots a Xen without the patches: systemd does not start the
# daemon, without a failure, and the reason is printed.  Fails if the unit is tried again and again,
# counts as failed, or is missing.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/systemd.sh

drop_in=/run/systemd/system/xenschedd.service.d
log=/run/unit.log

mkdir -p $drop_in
printf '[Service]\nStandardOutput=append:%s\nStandardError=append:%s\n' $log $log \
    >$drop_in/test.conf
check "systemd starts" start_systemd
check "systemd is asked for the unit, and does not fail" \
    in_systemd systemctl start xenschedd
is "it does not run" "$(in_systemd systemctl is-active xenschedd)" inactive
is "nothing has failed" "$(in_systemd systemctl is-failed xenschedd)" inactive
check "the unit reports that it cannot start" grep "cannot start here" $log
check "and what this Xen lacks" grep "CONFIG_SCHEDLOG=y" $log
# systemd forgets such a unit at once, so the test counts the unit's own messages.
sleep 5
is "it is not tried again" "$(grep -c "cannot start here" $log)" 1
check "there is no daemon" sh -c "! pidof xenschedd"
finish
