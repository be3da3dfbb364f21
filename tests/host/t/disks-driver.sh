#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2 --xen-append xsm=dummy
# box: --sockets 1 --cores 2
# time: 300
#
# A driver domain with Debian's own xen-blkback: xensched-disks in it reports to xenschedd in dom0
# what its disks do for each guest, from Linux's statistics.  The daemon rejects reports about other
# guests and impossible sums; the agent reports nothing until the daemon asks.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/sources.sh

# Prints the pages that the matrix has between the driver domain and its guest.
served()
{
    xensched matrix | awk '
        $1 == "ring-pages" && $2 == "driver" && $4 == "remote" { n = $7 }
        END { print n + 0 }'
}

# more_served COMMAND: prints the pages that the daemon counts while the guest runs the command.
more_served()
{
    before=$(served)
    in_guest remote "$1" || return 1
    sleep 3
    echo $(($(served) - before))
}

node()
{
    xenstore-exists "/local/domain/$driver/data/xensched-disks"
}

no_node()
{
    ! node
}

is_other_than()
{
    [ "$(xenstore-read "/local/domain/$driver/data/xensched-disks")" != "$1" ]
}

# claim WORDS: writes what a forged agent would report, and gives the daemon time to read it, also
# on a busy machine.
claim()
{
    in_guest driver "xenstore-write data/xensched-disks '$1'"
    sleep 3
}

guest start driver run=obey
start_all local:disk=16
guest start obedient name=remote disk=16 backend=driver
driver=$(xl domid driver)
remote=$(xl domid remote)
check "the agent starts" start_agent
sleep 2
check "the agent reports nothing before the daemon asks" no_node
start_daemon
check "the daemon receives reports" until_true 20 agent_is_heard
in_guest remote 'disk-io /dev/xvda write 4096 1'
sleep 3
is "300 requests of a page" "$(more_served 'disk-io /dev/xvda write 4096 300')" 300
is "40 of 32 pages and one with their segments" \
    "$(more_served 'disk-io /dev/xvda write 131072 40')" 1320
is "reads as well" "$(more_served 'disk-io /dev/xvda read 131072 40')" 1320
is "without I/O no page is counted" "$(more_served 'sleep 1')" 0
is "and no other pair has pages" "$(pairs ring-pages)" "driver:remote "

in_guest driver 'killall xensched-disks'
sleep 3
known=$(served)
claim "$remote:1000 0:1000 $(xl domid local):1000"
# The daemon counts no pages of a guest that has sent no notification for some seconds.
in_guest remote 'disk-io /dev/xvda write 4096 40'
claim "$remote:1010 0:9000 $(xl domid local):9000"
is "a report about its own guest counts" "$(served)" $((known + 10))
is "and one about others does not" "$(pairs ring-pages)" "driver:remote "
claim "$remote:99999999999"
is "impossible counters are not added" "$(served)" $((known + 10))
check "they are counted as refused" test "$(refused "domain:$driver")" -gt 0
nonsense='x:1 :: 70000:1 1:-1 99999999999999999999999:1'
claim "$nonsense"
check "nonsense does no harm" xensched status
check "the agent starts again" start_agent
check "and replaces the report" until_true 20 is_other_than "$nonsense"
stop_daemon TERM
is "the daemon ends cleanly" "${stopped:?}" 0
check "then the agent reports nothing more" until_true 20 no_node

in_guest driver 'killall -9 xensched-disks'
claim "$remote:1010"
check "an agent that starts now" start_agent
check "removes the report of the former one" until_true 20 no_node
finish
