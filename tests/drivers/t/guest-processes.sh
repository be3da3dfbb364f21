#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 2 --numa
# time: 400
#
# A guest has a disk of dom0 and one of a driver domain, and each of its processes uses one of them.
# Its agent completes its Linux's rows about threads, and the daemon distinguishes the processes.
# Fails if a request is counted for the wrong process, back end or amount.  Another guest forges
# rows, of which the daemon uses only those about that guest itself.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/sources.sh
stopped=

log=evtchn-send,ring-pages,process-io

# processes GUEST: prints COMMAND:TO:KIB of each process in the daemon's answer.
processes()
{
    xensched matrix --processes "$1" --top 0 |
        awk '$1 ~ /^[0-9]+$/ { print $2 ":" $3 ":" $NF }' | sort | tr '\n' ' '
}

processes_are()
{
    equal "$(processes "$1")" "$2"
}

# says GUEST WORDS: the answer has this message, instead of processes or after them.
says()
{
    xensched matrix --processes "$1" 2>&1 | grep -q -F -- "$2"
}

# on MASK: are these events on in the worker?
on()
{
    equal "$(xenstore-read "/local/domain/$worker/schedlog/area/events")" "$1"
}

# total FROM TO: prints the number of pages by the back end's log.
total()
{
    xensched matrix --top 0 | awk -v from="$1" -v to="$2" '
        $1 == "ring-pages" && $2 == from && $4 == to { print $7 }'
}

# More than one or two, which could come by chance.
are_refused()
{
    [ "$(refused "$1")" -gt 1000 ]
}

# Both at the same time, for a while.
work()
{
    in_guest worker "
        ./local-io /dev/xvda write 4096 500 0 2000 &
        ./remote-io /dev/xvdb write 8192 300 0 2000 &
        ask-disk /dev/xvda 50 1 >/dev/null &
        wait"
}

# The daemon's pairs without the liar's.
others()
{
    pairs ring-pages | tr ' ' '\n' | grep -v ':liar$' | tr '\n' ' '
}

console_begin
check "the modules replace those of the kernel" use_drivers
guest start driver prepare='serve-disks /lib/xensched'
# shellcheck disable=SC2154 # of drivers.sh
guest start obedient name=worker xl="vm_affinity_log = 1
disk = [ 'phy:$disk,xvda,w',
         'script=block-ram,backend=driver,vdev=xvdb,access=w,target=16' ]"
guest start obedient name=private
worker=$(xl domid worker)
# shellcheck disable=SC2154 # likewise
check "the worker has its modules, and both disks" in_guest worker "
    insmod $modules/xensched_log.ko && insmod $modules/xensched_guest.ko &&
    ln -s \$(which disk-io) local-io && ln -s \$(which disk-io) remote-io &&
    until [ -b /dev/xvda ] && [ -b /dev/xvdb ]; do usleep 50000; done"

start_daemon --log $log
check "the log of a guest is read" \
    until_true 20 source_is "domain:$worker" reading
check "a message names the guest without an agent" says worker "does not run there"
check "and without a reader nothing is logged there" on 0
check "a message names the guest that does not allow its log to be read" \
    says private "does not allow its log to be read"

in_guest worker "(xensched-agent >agent.log 2>&1 &)"
check "with an agent the events are turned on" until_true 20 on $((7 << 29))
work
truth="asker:Domain-0:200 local-io:Domain-0:2000 remote-io:driver:2400 "
check "processes are distinguished" until_true 10 processes_are worker "$truth"
note "$(processes worker)"
is "dom0's back end has the same numbers for its two" \
    "$(total Domain-0 worker)" 550
is "and the driver domain for the other one" "$(total driver worker)" 600
is "each has its PID" "$(xensched matrix --processes worker --json |
    grep -c '"pid": *[1-9]')" 3
is "no row was refused" "$(refused "domain:$worker")" 0
check "dom0 reads no rows about threads" \
    test "$(rows "domain:$worker")" -lt 850

# The agent finds the next area without help.
stop_daemon TERM
check "the guest gets its log back" until_true 10 sh -c \
    "! xenstore-exists /local/domain/$worker/schedlog/area/directory"
start_daemon --log $log
check "the next daemon has the events on, too" until_true 20 on $((7 << 29))
work
check "and distinguishes the processes" until_true 10 processes_are worker "$truth"

# A guest forges rows, and has a disk of dom0.
guest start obedient name=liar memory=160 disk=4 xl="vm_affinity_log = 1"
liar=$(xl domid liar)
xl mem-max liar 220
before=$(others)
in_guest liar "(lie processes &)"
check "its rows about other guests are refused" until_true 30 are_refused "domain:$liar"
note "$(xensched status | sed -n '/^SOURCE/,/^$/p')"
xensched matrix --processes liar --json >liar.json
is "its back end can only be the one of its disk" \
    "$(grep '"to":' liar.json | tr -d ' ,' | sort -u)" '"to":"Domain-0"'
nr=$(grep -c '"pid":' liar.json)
note "$nr of the liar's processes"
check "their number is limited" test "$nr" -le 512
is "the worker's have not changed" "$(processes worker)" "$truth"
is "the pairs of other domains have not changed" "$(others)" "$before"
check "the daemon answers quickly" timeout 5 xensched status
check "the worker's log is still read" source_is "domain:$worker" reading
guest stop liar
check "nothing of the liar is left" until_true 10 gone "$liar"

in_guest worker "killall xensched-agent"
check "without its agent nothing is logged" until_true 20 on 0
check "the agent reported no error" in_guest worker "! grep . agent.log"
stop_daemon TERM
is "the daemon ends as usual" "$stopped" 0
check "the modules can be unloaded" until_true 10 in_guest worker \
    "rmmod xensched_guest && rmmod xensched_log"
guest stop worker
guest stop private
guest stop driver
check "the consoles have no errors" console_quiet
finish
