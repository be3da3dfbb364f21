#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4 --numa
# time: 1200
# only: full
#
# A guest with vm_affinity = "auto" has its memory on the node of the domain that serves its disk,
# or of the domains with which it communicated most when it last ran, and not where xl would have
# put it; the daemon does not take that for an operator's affinity.  Without a daemon, or if the
# daemon does not answer, the guest starts all the same.  Fails if only the affinity is right, if
# the history is lost with the daemon, or if an old answer is used.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

auto="vm_affinity = 'auto'"
same="uuid = '0b3f3a52-6c0f-4d3c-9d5f-2f1f1d3c7a01'"
said=/run/said

# start GUEST SETTING...: keeps xl's output.
start()
{
    guest start "$@" >$said 2>&1
    code=$?
    sed 's/^/# /' $said
    return $code
}

# built NAME LINE...: a guest that is built and never runs, which is enough to see its memory.
built()
{
    {
        echo "name = '$1'"
        echo "uuid = '$(cat /proc/sys/kernel/random/uuid)'"
        echo "type = 'pv'"
        echo "device_model_version = 'qemu-xen'"
        echo "kernel = '/boot/vmlinux'"
        echo "memory = 128"
        shift
        printf '%s\n' "$@"
    } >/run/built
    xl create -p -q /run/built >$said 2>&1
    code=$?
    sed 's/^/# /' $said
    return $code
}

# memory_of GUEST: prints the nodes that have its pages.
memory_of()
{
    schedlog-area owners 1 | awk -v domid="$(xl domid "$1")" '
        $1 == domid && $3 { printf "%s%s", sep, $2; sep = " " }'
}

# pcpus_of NODE: prints its pCPUs; sockets are nodes here.
pcpus_of()
{
    ran_topology | awk -v node="$1" '
        $3 == node { if (first == "") first = $2; last = $2 }
        END { print first "-" last }'
}

# The node that xl alone chooses; the driver domain is on the other one.
built plain
home=$(memory_of plain)
check "xl alone puts a guest on one node" test "$home" = 0 -o "$home" = 1
away=$((1 - home))
there=$(pcpus_of $away)
note "xl's own choice: node $home; the driver domain: node $away, pCPUs $there"
start driver "cpus=$there"
is "a driver domain starts on the other node" $? 0
disk="disk = [ 'script=block-ram,backend=driver,vdev=xvda,access=w,target=4' ]"

built alone "$auto" "$disk"
is "without a daemon a guest is made" $? 0
check "and xl prints the reason and the remedy in one line" \
    grep -q '^vm_affinity="auto": not used: xenschedd is not running' $said
is "its memory is where xl alone puts it" "$(memory_of alone)" "$home"
xl destroy alone

start_daemon --mode advise
is "the daemon starts" $? 0
sed "s/alone/dry/" /run/built >/run/dry
check "-N create shows the node" sh -c "xl -N create /run/dry >/run/json 2>$said"
sed 's/^/# /' $said
check "in words" grep -q "to node $away" $said
check "and in the configuration" sh -c \
    "tr -d ' \n' </run/json | grep -q '\"nodemap\":\[$away\]'"

# A daemon that does not answer.
kill -STOP "${daemon:?}"
before=$(cut -d. -f1 /proc/uptime)
xl -N create /run/dry >/run/json 2>$said
code=$?
took=$(($(cut -d. -f1 /proc/uptime) - before))
kill -CONT "$daemon"
is "a daemon that hangs does not keep xl from making guests" $code 0
check "xl reports that" grep -q 'not used: xenschedd gave no whole answer' $said
check "after 2 s ($took)" test "$took" -ge 2

start paced name=disk backend=driver "xl=$auto
$same"
is "a guest that has its disk from the driver domain starts" $? 0
check "xl prints the node and the reason" grep -q "^vm_affinity=\"auto\": to node $away: 1 of \
its 1 disk is served by driver, whose vCPUs are on pCPUs $there" $said
is "all of its memory is on the driver domain's node" "$(memory_of disk)" "$away"
check "its soft affinity is that node" soft_is disk "$there"
check "the daemon does not take that for an operator's affinity" \
    until_true 5 status_is disk affinity '"default"'

# Other options have priority.
built named "$auto" "cpus = '$there'"
check "with cpus= xl prints that vm_affinity is ignored" \
    grep -q 'vm_affinity="auto" is ignored, since cpus= says' $said
xl destroy named

# The history of a guest without a disk, after a restart of the daemon.
sleep 15
guest stop disk
check "its history is written" until_true 10 \
    grep -q 0b3f3a52-6c0f-4d3c-9d5f-2f1f1d3c7a01 /var/lib/xensched/history.json
tr -d '\n' </var/lib/xensched/history.json | sed 's/^/# /; s/$/\n/'
kill -9 "$daemon"
wait "$daemon" 2>/dev/null
# No guest runs long enough for a history of its own.
start_daemon --mode advise --settle 600000
start obedient name=again "xl=$auto
$same"
check "the next daemon knows its partner" \
    grep -q "to node $away: by what it did when it last ran .* with driver" $said
is "and its memory is there" "$(memory_of again)" "$away"

# Saved and restored: xl asks again, or decides alone.
check "it is saved" xl save again /run/saved
xl restore /run/saved >$said 2>&1
is "and restored" $? 0
check "xl asked again" grep -q "to node $away: by what it did" $said
is "its memory is there again" "$(memory_of again)" "$away"
check "it is saved once more" xl save again /run/saved
stop_daemon TERM
xl restore /run/saved >$said 2>&1
is "restored without a daemon" $? 0
check "xl reports that there is no daemon" grep -q 'not used: xenschedd is not' $said
is "the old answer is not used" "$(memory_of again)" "$home"
finish
