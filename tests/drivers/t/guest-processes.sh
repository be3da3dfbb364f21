#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 2 --numa
# time: 400
#
# A guest has a disk of dom0's and one of a driver domain's, and of its processes
# each uses one.  Its agent completes what its Linux logs of threads, and the
# daemon tells the processes apart: fails if a request is counted for one of them that asked
# the wrong back end, or for another amount than it did.  Another guest lies, and
# is believed only about itself.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/sources.sh
stopped=

log=evtchn-send,ring-pages,process-io

# processes GUEST: COMMAND:TO:KIB of each that the daemon knows of.
processes()
{
    xensched matrix --processes "$1" --top 0 |
        awk '$1 ~ /^[0-9]+$/ { print $2 ":" $3 ":" $NF }' | sort | tr '\n' ' '
}

processes_are()
{
    equal "$(processes "$1")" "$2"
}

# says GUEST WORDS: in place of its processes, or below them.
says()
{
    xensched matrix --processes "$1" 2>&1 | grep -q -F -- "$2"
}

# on MASK: are these events on in the worker?
on()
{
    equal "$(xenstore-read "/local/domain/$worker/schedlog/area/events")" "$1"
}

# total FROM TO: pages, by what the back end logged.
total()
{
    xensched matrix --top 0 | awk -v from="$1" -v to="$2" '
        $1 == "ring-pages" && $2 == from && $4 == to { print $7 }'
}

# Not one or two, as by mistake.
are_refused()
{
    [ "$(refused "$1")" -gt 1000 ]
}

# At the same time, and so that it takes a while.
work()
{
    in_guest worker "
        ./local-io /dev/xvda write 4096 500 0 2000 &
        ./remote-io /dev/xvdb write 8192 300 0 2000 &
        ask-disk /dev/xvda 50 1 >/dev/null &
        wait"
}

# The pairs that the daemon believes in, but for the liar's own.
others()
{
    pairs ring-pages | tr ' ' '\n' | grep -v ':liar$' | tr '\n' ' '
}

console_begin
check "our modules take the place of the kernel's" use_drivers
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
check "and nothing is logged there without a reader" on 0
check "a message names the guest that does not allow its log to be read" \
    says private "does not allow its log to be read"

in_guest worker "(xensched-agent >agent.log 2>&1 &)"
check "an agent has the events turned on" until_true 20 on $((7 << 29))
work
truth="asker:Domain-0:200 local-io:Domain-0:2000 remote-io:driver:2400 "
check "processes are told apart" until_true 10 processes_are worker "$truth"
note "$(processes worker)"
is "dom0's back end says the same of both of its own" \
    "$(total Domain-0 worker)" 550
is "and so does the driver domain of the other one" "$(total driver worker)" 600
is "each has its PID" "$(xensched matrix --processes worker --json |
    grep -c '"pid": *[1-9]')" 3
is "no row was refused" "$(refused "domain:$worker")" 0
check "rows about threads are not what dom0 reads" \
    test "$(rows "domain:$worker")" -lt 850

# The agent finds the next area without help.
stop_daemon TERM
check "the guest gets its log back" until_true 10 sh -c \
    "! xenstore-exists /local/domain/$worker/schedlog/area/directory"
start_daemon --log $log
check "the next daemon has the events on, too" until_true 20 on $((7 << 29))
work
check "and tells the processes apart" until_true 10 processes_are worker "$truth"

# A guest that forges rows, and has a disk of dom0's.
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
check "there are no more of them than there is room for" test "$nr" -le 512
is "the worker's are what they were" "$(processes worker)" "$truth"
is "the pairs of other domains are as they were" "$(others)" "$before"
check "the daemon is as quick as ever" timeout 5 xensched status
check "the worker's log is read on" source_is "domain:$worker" reading
guest stop liar
check "nothing of the liar stays" until_true 10 gone "$liar"

in_guest worker "killall xensched-agent"
check "without its agent nothing is logged any more" until_true 20 on 0
check "the agent did not complain" in_guest worker "! grep . agent.log"
stop_daemon TERM
is "the daemon ends as usual" "$stopped" 0
check "the modules can be unloaded" until_true 10 in_guest worker \
    "rmmod xensched_guest && rmmod xensched_log"
guest stop worker
guest stop private
guest stop driver
check "the consoles have no complaint" console_quiet
finish
