#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4 --numa
# time: 1200
# only: full
#
# A guest with vm_affinity = "auto" has its memory on the node of the domain that
# serves its disk, or of the domains with which it communicated most when it last ran, and
# not where xl would have put it; for the daemon that is no operator's affinity.  Without
# a daemon, or if that does not answer, it starts all the same.  Fails if only the
# affinity is right, if the history is lost with the daemon, or if an answer that is old is used.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

auto="vm_affinity = 'auto'"
same="uuid = '0b3f3a52-6c0f-4d3c-9d5f-2f1f1d3c7a01'"
said=/run/said

# start GUEST SETTING...: what xl says is kept.
start()
{
    guest start "$@" >$said 2>&1
    code=$?
    sed 's/^/# /' $said
    return $code
}

# built NAME LINE...: a guest that is built and never runs, which is enough to see
# where its memory is.
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

# memory_of GUEST: "NODE..." where it has pages.
memory_of()
{
    schedlog-area owners 1 | awk -v domid="$(xl domid "$1")" '
        $1 == domid && $3 { printf "%s%s", sep, $2; sep = " " }'
}

# pcpus_of NODE: sockets are nodes here.
pcpus_of()
{
    ran_topology | awk -v node="$1" '
        $3 == node { if (first == "") first = $2; last = $2 }
        END { print first "-" last }'
}

# Where xl alone puts a guest; the driver domain is on the other node.
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
check "and xl says in a line why not, and what to do" \
    grep -q '^vm_affinity="auto": not used: xenschedd is not running' $said
is "its memory is where xl alone puts it" "$(memory_of alone)" "$home"
xl destroy alone

start_daemon --mode advise
is "the daemon starts" $? 0
sed "s/alone/dry/" /run/built >/run/dry
check "-N create shows what would be" sh -c "xl -N create /run/dry >/run/json 2>$said"
sed 's/^/# /' $said
check "the node, in words" grep -q "to node $away" $said
check "and in the configuration" sh -c \
    "tr -d ' \n' </run/json | grep -q '\"nodemap\":\[$away\]'"

# One that does not answer.
kill -STOP "${daemon:?}"
before=$(cut -d. -f1 /proc/uptime)
xl -N create /run/dry >/run/json 2>$said
code=$?
took=$(($(cut -d. -f1 /proc/uptime) - before))
kill -CONT "$daemon"
is "a daemon that hangs does not keep xl from making guests" $code 0
check "xl says so" grep -q 'not used: xenschedd gave no whole answer' $said
check "after 2 s ($took)" test "$took" -ge 2

start paced name=disk backend=driver "xl=$auto
$same"
is "a guest that has its disk from the driver domain starts" $? 0
check "xl says where and why" grep -q "^vm_affinity=\"auto\": to node $away: 1 of \
its 1 disk is served by driver, whose vCPUs are on pCPUs $there" $said
is "all of its memory is on the driver domain's node" "$(memory_of disk)" "$away"
check "its soft affinity is that node" soft_is disk "$there"
check "for the daemon that is no operator's affinity" \
    until_true 5 status_is disk affinity '"default"'

# The usual options come first.
built named "$auto" "cpus = '$there'"
check "with cpus= xl says that it is ignored" \
    grep -q 'vm_affinity="auto" is ignored, since cpus= says' $said
xl destroy named

# Its history: with the daemon restarted, and without a disk.
sleep 15
guest stop disk
check "its history is written" until_true 10 \
    grep -q 0b3f3a52-6c0f-4d3c-9d5f-2f1f1d3c7a01 /var/lib/xensched/history.json
tr -d '\n' </var/lib/xensched/history.json | sed 's/^/# /; s/$/\n/'
kill -9 "$daemon"
wait "$daemon" 2>/dev/null
# No guest is there long enough for a history of its own.
start_daemon --mode advise --settle 600000
start obedient name=again "xl=$auto
$same"
check "the next daemon knows its partner" \
    grep -q "to node $away: by what it did when it last ran .* with driver" $said
is "and its memory is there" "$(memory_of again)" "$away"

# Saved and restored: asked again, or placed by xl alone.
check "it is saved" xl save again /run/saved
xl restore /run/saved >$said 2>&1
is "and restored" $? 0
check "xl asked again" grep -q "to node $away: by what it did" $said
is "its memory is there again" "$(memory_of again)" "$away"
check "it is saved once more" xl save again /run/saved
stop_daemon TERM
xl restore /run/saved >$said 2>&1
is "restored without a daemon" $? 0
check "xl says that it is not asked for" grep -q 'not used: xenschedd is not' $said
is "nothing is left of the old answer" "$(memory_of again)" "$home"
finish
