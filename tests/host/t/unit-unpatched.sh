#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --xen native --sockets 1 --cores 2 --systemd
# only: full
#
# A machine that has the package and boots a Xen without our patches: systemd does not
# start the daemon, that is no failure, and the reason is said.  Fails if the unit is
# tried again and again, counts as failed, or is just not there.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/systemd.sh

drop_in=/run/systemd/system/xenschedd.service.d
log=/run/unit.log

show_is()
{
    equal "$(in_systemd systemctl show --property="$1" --value xenschedd)" "$2"
}

mkdir -p $drop_in
printf '[Service]\nStandardOutput=append:%s\nStandardError=append:%s\n' $log $log \
    >$drop_in/test.conf
check "systemd starts" start_systemd
check "the unit is asked for, and that is no failure" \
    in_systemd systemctl start xenschedd
check "it does not run" show_is ActiveState inactive
check "because of its condition" show_is Result exec-condition
is "nothing has failed" "$(in_systemd systemctl is-failed xenschedd)" inactive
is "it is not tried again" \
    "$(in_systemd systemctl show --property=NRestarts --value xenschedd)" 0
check "it says that it cannot start" grep "cannot start here" $log
check "and what this Xen lacks" grep "CONFIG_SCHEDLOG=y" $log
check "there is no daemon" sh -c "! pidof xenschedd"
finish
