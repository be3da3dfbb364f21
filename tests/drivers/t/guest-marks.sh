#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2
# box: --sockets 1 --cores 2
# time: 300
#
# A guest marks regions with xensched-mark.  "xensched roi" in dom0 reports how long they took and
# what the vCPU did meanwhile, and the timeline has their names.  Fails if a mark is lost, if times
# do not add up, if a guest marks without permission, or if a permitted guest cannot mark after a
# reboot.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/daemon.sh

modules=/lib/xensched
rec=$RESULTS/marks.rows
# shellcheck disable=SC2034 # for start_daemon
daemon_settings="--log service-ns,wake-delay,evtchn-send,migrate,mark"
insert="insmod $modules/xensched_log.ko && insmod $modules/xensched_guest.ko"

# column N REGION: prints a column of roi's table; a length takes two words.
column()
{
    xensched roi $rec marker 2>/dev/null | awk -v n="$1" -v name="$2" \
        '$1 == "marker" && $2 == name { print $n; exit }'
}

# json KEY: prints this number of each measured region, one per line.
json()
{
    xensched roi --json $rec marker 2>/dev/null | tr -d ' \n' |
        sed 's/.*"intervals"://' | tr ',{}' '\n\n\n' | sed -n "s/^\"$1\"://p"
}

# adds_up: running + runnable + blocked + unknown = wall, for each region.
adds_up()
{
    for key in wall_ns running_ns runnable_ns blocked_ns unknown_ns; do
        json $key >/run/$key
    done
    paste /run/wall_ns /run/running_ns /run/runnable_ns /run/blocked_ns \
        /run/unknown_ns | awk '$1 != $2 + $3 + $4 + $5 { exit 1 }
            END { exit NR < 20 }'
}

# ran_most: a guest that computes has a pCPU most of the time.
ran_most()
{
    paste /run/wall_ns /run/running_ns | awk '
        { wall += $1; ran += $2 } END { print ran / wall; exit ran < 0.5 * wall }'
}

console_begin
guest start obedient name=marker cpus=1 "xl=vm_affinity_log = 1" &
guest start obedient name=other &
wait
for guest in marker other; do
    check "the modules can be used in $guest" in_guest $guest "$insert"
done
check "no mark before a recording" in_guest marker \
    "xensched-mark label x 2>&1 | grep -q 'vm_affinity_log = 1'"
check "a command runs without marks, too, with its exit code" in_guest marker \
    "xensched-mark run x -- sh -c 'exit 7' 2>/dev/null; test \$? = 7"

start_daemon --mode observe
is "the daemon starts" "$?" 0
xensched record --seconds 120 $rec 2>/run/said &
recorder=$!
check "a recording allows marks to its guest" \
    until_true 20 in_guest marker "xensched-mark label ready"
check "and to no other guest" in_guest other \
    "xensched-mark label x 2>&1 | grep -q 'not permitted'"
check "twenty regions are marked" in_guest marker \
    'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        xensched-mark run work -- spin 0.02 || exit 1
    done'
check "nested regions, counts and labels are marked" in_guest marker \
    'xensched-mark begin outer && xensched-mark begin inner &&
     xensched-mark count jobs 1099511627781 && xensched-mark end outer &&
     xensched-mark label "<b>half</b> of it" && xensched-mark end inner &&
     xensched-mark begin endless && xensched-mark code 77'
check "a name that is too long is refused" in_guest marker \
    "xensched-mark begin 12345678901234567890123456789012 2>&1 | grep -q '31 bytes'"
check "an ioctl that is no mark is refused" in_guest marker \
    "mark-device 7 1 >/dev/null"
# The same as udev's rule, which this host does not have.
in_guest marker "chgrp 100 /dev/xensched-mark && chmod 660 /dev/xensched-mark
    echo in:x:1000:100::/:/bin/sh >>/etc/passwd
    echo out:x:1001:101::/:/bin/sh >>/etc/passwd"
check "a member of the device's group may make marks" in_guest marker \
    "su in -c 'xensched-mark label group'"
check "another user may not" in_guest marker \
    "su out -c 'xensched-mark label x' 2>&1 | grep -q 'it is for root'"

# Names that were logged before the recording began are logged again.
xensched record --seconds 120 $rec.later 2>/run/said-later &
later=$!
until_true 20 test -s $rec.later
sleep 2
in_guest marker "xensched-mark run work -- true"
sleep 1
kill -INT $later
wait $later || cat /run/said-later
check "a later recording has the names, too" \
    sh -c "xensched roi --begin work $rec.later marker | grep -q '^marker *work *1 '"

guest stop marker
guest start obedient name=marker cpus=1 "xl=vm_affinity_log = 1"
in_guest marker "$insert"
check "a guest that is rebuilt may still make marks" \
    until_true 20 in_guest marker "xensched-mark label again"
sleep 1
kill -INT $recorder
wait $recorder || cat /run/said
stop_daemon TERM

xensched roi $rec marker >/run/roi 2>/run/said
cat /run/roi /run/said
is "roi has all twenty, and that of the second recording" "$(column 3 work)" 21
is "and the nested ones" "$(column 3 outer) $(column 3 inner)" "1 1"
check "marks without their end are counted" \
    grep -q 'marks without their end: 1' /run/roi
check "the vCPU's states add up to the time, each time" adds_up
check "the vCPU ran for most of the time" ran_most
check "by code, too" sh -c "xensched roi --begin 7 $rec marker | grep -q '^marker *7 '"
xensched timeline --json $rec >/run/timeline.json 2>/dev/null
for words in '"jobs"' '"<b>half</b> of it"' '"last":1099511627781' '"text":"group"' \
    '"text":"again"' '"broken":0'; do
    check "the timeline has $words" grep -q "$words" /run/timeline.json
done
guest stop marker
guest stop other
check "the consoles have no errors" console_quiet
finish
