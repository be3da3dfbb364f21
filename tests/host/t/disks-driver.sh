#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 1 --cores 2
# time: 300
#
# A driver domain with Debian's own xen-blkback: xensched-disks in it reports to xenschedd
# in dom0 what its disks do for which guest, from Linux's statistics.  The daemon rejects
# claims about other guests and impossible sums; the agent is silent until the daemon asks.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/sources.sh

# Pages that the matrix has between the driver domain and its guest.
served()
{
    xensched matrix | awk '
        $1 == "ring-pages" && $2 == "driver" && $4 == "remote" { n = $7 }
        END { print n + 0 }'
}

# more_served COMMAND: when the guest has done it, and the daemon has heard.
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

# claim WORDS: what an agent of its own would say.
claim()
{
    in_guest driver "xenstore-write data/xensched-disks '$1'"
}

guest start driver run=obey
start_all local:disk=16
guest start obedient name=remote disk=16 backend=driver
driver=$(xl domid driver)
remote=$(xl domid remote)
check "the agent starts" start_agent
sleep 2
check "while the daemon does not ask it reports nothing" no_node
start_daemon
check "the daemon hears of it" until_true 20 agent_is_heard
in_guest remote 'disk-io /dev/xvda write 4096 1'
sleep 3
is "300 requests of a page" "$(more_served 'disk-io /dev/xvda write 4096 300')" 300
is "40 of 32 pages and one with their segments" \
    "$(more_served 'disk-io /dev/xvda write 131072 40')" 1320
is "reads as well" "$(more_served 'disk-io /dev/xvda read 131072 40')" 1320
is "without I/O no page is counted" "$(more_served 'sleep 1')" 0
is "and no others" "$(pairs ring-pages)" "driver:remote "

in_guest driver 'killall xensched-disks'
sleep 1
known=$(served)
claim "$remote:1000 0:1000 $(xl domid local):1000"
sleep 1
claim "$remote:1010 0:9000 $(xl domid local):9000"
sleep 1
is "it is heard" "$(served)" $((known + 10))
is "but not about others" "$(pairs ring-pages)" "driver:remote "
claim "$remote:99999999999"
sleep 1
is "impossible counters are not added" "$(served)" $((known + 10))
check "they are counted as refused" test "$(refused "domain:$driver")" -gt 0
nonsense='x:1 :: 70000:1 1:-1 99999999999999999999999:1'
claim "$nonsense"
sleep 1
check "and nonsense does no harm" xensched status
check "the agent starts again" start_agent
check "and has its own say" until_true 20 is_other_than "$nonsense"
stop_daemon TERM
is "the daemon ends cleanly" "${stopped:?}" 0
check "then the agent says nothing more" until_true 20 no_node

in_guest driver 'killall -9 xensched-disks'
claim "$remote:1010"
check "one that starts now" start_agent
check "takes back what one before it left" until_true 20 no_node
finish
