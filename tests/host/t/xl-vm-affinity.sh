#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 8
# box: --sockets 2 --cores 4
# time: 600
# only: full
#
# "xl vm-affinity" shows what xenschedd sees and plans, and passes on an operator's orders: carry
# plans out, leave a domain alone, restore all.  Without a daemon it prints how to start one.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs

said=/run/said

# says WORD COMMAND...: checks that it succeeds with this output.
says()
{
    local word=$1

    shift
    "$@" >$said 2>&1 || { cat $said; return 1; }
    grep -q "$word" $said || { cat $said; return 1; }
}

# fails WORD COMMAND...: checks that it fails with this output.
fails()
{
    local word=$1

    shift
    ! "$@" >$said 2>&1 || { cat $said; return 1; }
    grep -q "$word" $said || { cat $said; return 1; }
}

planned()
{
    xl vm-affinity plan | grep -q "^disk: to pCPUs $near (proposed)"
}

check "no daemon: how to start it" \
    fails "systemctl start xenschedd" xl vm-affinity list
guest start paced name=disk
start_daemon --mode advise
check "the disk's guest is to be moved" until_true 60 planned
check "list: no affinity yet" says "^disk .* default " xl vm-affinity list
check "status: the mode" says "^mode: " xl vm-affinity status
check "status: the domains" says "^disk .* default " xl vm-affinity status
check "matrix: which domains communicate" says "evtchn-send *disk *Domain-0" \
    xl vm-affinity matrix
check "-j: JSON" says '"ok":true' xl vm-affinity -j plan
check "explain: in words" says "mode advise, now: move" \
    xl vm-affinity explain disk
check "an unknown domain is refused" fails "nobody" xl vm-affinity explain nobody
check "-N act: only the plan" says "(proposed)" xl -N vm-affinity act

check "hold" xl vm-affinity hold disk
check "it is held" says "^disk .* yes " xl vm-affinity list
check "act" says "mode: act" xl vm-affinity act
sleep 3
check "a held domain stays where it is" soft_is disk all
check "explain gives the reason" says "an operator holds it" xl vm-affinity explain disk
check "release" xl vm-affinity release disk
check "it is moved then" until_true 30 soft_is disk "$near"
check "and runs there" runs_near disk
check "list: the affinity is the daemon's" says "^disk .* ours " xl vm-affinity list
check "explain has the move" says "Z move: " xl vm-affinity explain disk
# A guest whose configuration says hold is held from its start.
check "an unknown vm_affinity is an error" \
    fails 'vm_affinity="never" is not known' \
    guest start idle name=wrong "xl=vm_affinity = 'never'"
guest start paced name=held "xl=vm_affinity = 'hold'"
domid=$(xl domid held)
check "list: held by its configuration" says "^held .* yes " xl vm-affinity list
check "explain: the same" says "held by its configuration" \
    xl vm-affinity explain held
check "release: not with this command" fails "change vm_affinity there" \
    xl vm-affinity release held
check "the guest can read that, and not write it" \
    says "^vm-affinity = \"hold\".*(n0,r$domid)" \
    xenstore-ls -p "/local/domain/$domid/platform"
sleep 3
check "the held guest stays, the other one was moved" soft_is held all
xenstore-rm "/local/domain/$domid/platform/vm-affinity"
check "without the setting it is moved, too" until_true 30 soft_is held "$near"
check "and runs there" runs_near held
guest stop held

# Guests of a group are moved together.
number_of()
{
    xensched status | awk -v name="$1" '$1 == name { print $3 }'
}

check "an invalid name of a group is an error" \
    fails "vm_affinity_group has to be a name of 1 to 63" \
    guest start idle name=wrong "xl=vm_affinity_group = 'a b'"
check "vm_affinity_log is a boolean" \
    fails "vm_affinity_log has to be 0 or 1" \
    guest start idle name=wrong "xl=vm_affinity_log = 2"
guest start paced name=one "xl=vm_affinity_group = 'pair'"
guest start idle name=two "xl=vm_affinity_group = 'pair'
vm_affinity_log = 1"
check "the daemon knows both" until_true 20 xl vm-affinity explain two
first=$(number_of one)
second=$(number_of two)
check "each has an accounting domain" test $((first > 2 && second > 2)) = 1
check "and the two differ" test "$first" != "$second"
is "Xen has the same ones" "$(xl schedlog bind one) $(xl schedlog bind two)" "$first $second"
check "list: the group" says "^two .* pair " xl vm-affinity list
domid=$(xl domid two)
is "its own log may be read, according to its configuration" \
    "$(xenstore-read "/local/domain/$domid/platform/vm-affinity-log")" 1
check "and that of the other one may not" sh -c \
    "! xenstore-exists /local/domain/$(xl domid one)/platform/vm-affinity-log"
check "the guest can read that, and not write it" \
    says "^vm-affinity-group = \"pair\".*(n0,r$domid)" \
    xenstore-ls -p "/local/domain/$domid/platform"
check "matrix: a line for one guest of the group" \
    says "evtchn-send *one *Domain-0" xl vm-affinity matrix
check "a guest that does much is moved" until_true 30 soft_is one "$near"
check "and so is the other one of its group" until_true 10 soft_is two "$near"
check "and runs there" runs_near one
check "explain names the group's notifications" says "notifications/s .*with Domain-0" \
    xl vm-affinity explain two
guest stop one
guest stop two

check "restore" says "restored: 1, failed: 0, mode: advise" \
    xl vm-affinity restore
check "its affinity is restored" soft_is disk all
finish
