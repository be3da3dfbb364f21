# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Eight guests whose load changes at the same time (programs/load/phases.c), dom0 on socket 0 and a
# driver domain on socket 1.  A phase is one word, "DDVVppCB", with a letter for each of g1 to g8:
#
#   D  reads from dom0's disk       C  computes
#   V  from the driver domain's     B  reads from both in turn
#   p, q, r, s: two with the same letter communicate;    -  does nothing
#
# The host has 2 sockets; of 4 cores each, if dom0_pcpus and driver_pcpus are not changed.  Needs
# tap.sh, for domid.

. /usr/lib/box/ram-disk.sh

GUESTS="g1 g2 g3 g4 g5 g6 g7 g8"
dom0_pcpus=0-3 driver_pcpus=4-7
phase_node=/phases
# MiB of each of a guest's two disks, and what the guests do in place of phases.
disk_mib=2
guest_run=
# What a guest does before that: it writes the blocks that phases.c reads, so that both back ends have
# mapped its page when a phase begins.
prepare='until [ -b /dev/xvda ] && [ -b /dev/xvdb ]; do
             usleep 50000
         done
         for disk in xvda xvdb; do
             dd if=/dev/zero of=/dev/$disk bs=4k count=256 oflag=direct 2>/dev/null
         done'

# one_guest NAME RAM-DISK: starts a guest with that disk and one of the driver domain's.
one_guest()
{
    guest start idle name="$1" run="${guest_run:-phases serve $phase_node $1}" \
        prepare="$prepare" \
        xl="disk = [ 'phy:$2,xvda,w',
            'script=block-ram,backend=driver,vdev=xvdb,access=w,target=$disk_mib' ]"
}

# two_guests NAME NAME: starts two.  With more at a time, the driver domain, which makes their disks
# one after the other, would take longer than xl waits.
two_guests()
{
    local first one other

    one=$(take_ram_disk /run/guests/.disks $disk_mib) || return 1
    other=$(take_ram_disk /run/guests/.disks $disk_mib) || return 1
    one_guest "$1" "$one" &
    first=$!
    one_guest "$2" "$other" && wait $first
}

start_phase_guests()
{
    local name

    xl vcpu-pin Domain-0 all $dom0_pcpus || return 1
    guest start driver memory=$((176 + 8 * disk_mib)) cpus=$driver_pcpus run=obey || return 1
    phases set $phase_node nothing >/dev/null || return 1
    for name in 1 3 5 7; do
        two_guests g$name g$((name + 1)) || return 1
    done
}

# letter PHASE GUEST
letter()
{
    echo "$1" | cut -c "${2#g}"
}

# talks_with PHASE GUEST: prints the names of its partners.
talks_with()
{
    local mine other

    mine=$(letter "$1" "$2")
    case $mine in
    D)     echo Domain-0 ;;
    V)     echo driver ;;
    B)     echo Domain-0 driver ;;
    [p-s]) for other in $GUESTS; do
               [ "$other" = "$2" ] || [ "$(letter "$1" "$other")" != "$mine" ] ||
                   echo "$other"
           done ;;
    esac
}

# pair_word PHASE GUEST PAUSE: the first of the two asks.
pair_word()
{
    local one="$2" other node

    other=$(talks_with "$1" "$2")
    node=/meeting/$(letter "$1" "$2")
    if [ "${one#g}" -lt "${other#g}" ]; then
        echo "$one=ask:$3:$node,$(domid "$other")"
    else
        echo "$one=answer:0:$node,$(domid "$other")"
    fi
}

# make_meetings PHASE: makes the nodes of its pairs.
make_meetings()
{
    local mark pair

    xenstore-rm /meeting 2>/dev/null
    for mark in p q r s; do
        pair=
        for name in $GUESTS; do
            [ "$(letter "$1" "$name")" != $mark ] ||
                pair="$pair b$(domid "$name")"
        done
        [ -n "$pair" ] || continue
        xenstore-write /meeting/$mark ""
        # shellcheck disable=SC2086 # one word each
        xenstore-chmod /meeting/$mark n0 $pair
    done
}

# phase_text PHASE PAUSE: prints the text for phases.c.  PAUSE (us) follows each request and each
# round trip; a computing guest pauses four times as long.
phase_text()
{
    local name

    for name in $GUESTS; do
        case $(letter "$1" "$name") in
        D)     echo "$name=read:$2:/dev/xvda" ;;
        V)     echo "$name=read:$2:/dev/xvdb" ;;
        B)     echo "$name=both:$2" ;;
        C)     echo "$name=compute:$(($2 * 4))" ;;
        [p-s]) pair_word "$1" "$name" "$2" ;;
        esac
    done | tr '\n' ' '
}

# set_phase PHASE PAUSE: begins it; prints when (ms since 1970).
set_phase()
{
    make_meetings "$1"
    phases set $phase_node "$(phase_text "$@")"
}
