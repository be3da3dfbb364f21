#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of the demo in dom0.

set -u

. /usr/lib/box/ran.sh

# The pCPUs of socket or cluster 0, to which dom0 is bound.
near=0-3

# The number of seconds over which the log shows where guests ran.
look=5

guests="Domain-0 disk computing idle"

# A gain that emulated pCPUs reach, too.  There, the emulator decides how long a vCPU waits for
# a pCPU, and that is no reason to undo a move, so wake-delay is not logged.
settings="--settle 2000 --least-gain 10 --misses 0
    --log service-ns,evtchn-send,grant-map,grant-copy,grant-unmap"
[ "${ran_place:?}" = socket ] || settings="$settings --llc 0-3/4-7"

step()
{
    printf '\n== %s\n' "$*"
}

fail()
{
    printf '\ndemo: FAILED: %s\n' "$*"
    [ -s /run/xenschedd.log ] && sed 's/^/    xenschedd | /' /run/xenschedd.log
    exit 1
}

# Name, vCPU, hard and soft affinity of every domain.
affinities()
{
    xl vcpu-list | awk 'NR > 1 { print $1, $3, $(NF - 2), $NF }' | sort
}

# moved_since FILE: prints the domains whose affinity differs from FILE.
moved_since()
{
    affinities | grep -v -x -F -f "$1" | cut -d' ' -f1 | sort -u | tr '\n' ' ' |
        sed 's/ $//'
}

# until_true SECONDS COMMAND...: prints a dot every second
until_true()
{
    left=$1
    shift
    until "$@"; do
        [ "$left" -gt 0 ] || return 1
        left=$((left - 1))
        printf .
        sleep 1
    done
}

# where_they_ran: prints where each guest ran; sets share, the part of its time that the disk
# guest ran next to dom0, and crossed, notifications per second between sockets.
where_they_ran()
{
    record_ran $look || fail "the log was not recorded"
    for guest in $guests; do
        printf '%-10s %s\n' "$guest" "$(ran_sockets "$guest")"
    done
    # shellcheck disable=SC2046 # two words
    set -- $(crossings disk Domain-0)
    share=$(ran_share disk $near) crossed=$1
    printf 'notifications between disk and Domain-0: %s/s, ' "$2"
    printf '%s/s of them from one %s to the other\n' "$1" "$ran_place"
}

# number NUMBER -lt|-ge NUMBER: of any numbers.
number()
{
    awk -v a="${1:-none}" -v how="$2" -v b="$3" 'BEGIN {
        exit !(a != "none" && (how == "-ge" ? a + 0 >= b + 0 : a + 0 < b + 0)) }'
}

can_be_asked()
{
    xensched status >/dev/null 2>&1
}

proposed()
{
    xensched plan | grep -q '^disk .*proposed'
}

disk_is_near()
{
    [ "$(xl vcpu-list disk | awk 'NR == 2 { print $NF }')" = "$near" ] &&
        runs_at disk $near 1 >/dev/null
}

no_room()
{
    xensched plan | grep '^disk .*no room'
}

start_daemon()
{
    # shellcheck disable=SC2086 # several words
    xenschedd --mode advise $settings >/run/xenschedd.log 2>&1 &
    daemon=$!
    until_true 30 can_be_asked || fail "xenschedd did not start"
    until_true 60 proposed || fail "no move was proposed within 60 s"
}

daemon_is_gone()
{
    ! kill -0 "$daemon" 2>/dev/null
}

stop_daemon()
{
    kill -TERM "$daemon"
    until_true 20 daemon_is_gone || fail "xenschedd did not stop"
}

# Xen's scheduler may run the disk guest next to dom0 by chance, and keep it there if all pCPUs
# share a run queue, as on arm64.  Then there is no move to show.  A running xenschedd would take the
# binding for an operator's, and leave the guest alone for ten minutes.
move_disk_away()
{
    echo "Xen runs the disk guest next to dom0 by chance; binding it to pCPUs 4-7 for a second"
    stop_daemon
    xl vcpu-pin disk all 4-7 && sleep 1 && xl vcpu-pin disk all all ||
        fail "cannot pin the disk guest"
    start_daemon
}

step "dom0 serves the disks. It is held on $ran_place 0, pCPUs $near"
xl vcpu-pin Domain-0 all "$near" || fail "cannot pin dom0"

step "starting three guests: one does disk I/O, one computes, one is idle"
for guest in disk computing idle; do
    { guest start "$guest" && printf '%s runs\n' "$guest"; } &
done
wait
for guest in disk computing idle; do
    xl domid "$guest" >/dev/null 2>&1 || fail "guest $guest did not start"
done
affinities >/run/before

step "xenschedd --mode advise"
start_daemon
echo "it proposes to move the disk guest, and moves nothing in this mode"

step "before: where each ran in $look s, by the log"
tries=6
until where_they_ran; number "$share" -lt 75; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || fail "the disk guest was next to dom0 before it was moved"
    move_disk_away
done
crossed_before=$crossed

step "xl vm-affinity act"
xl vm-affinity act >/run/act.txt || fail "xl vm-affinity act"
until_true 60 disk_is_near || {
    xl vcpu-list
    xensched plan
    fail "the disk guest did not run next to dom0 within 60 s"
}
xl vm-affinity explain disk | sed -n 's/.*Z arrived:/xenschedd says:/p'

step "which domains communicate (xensched matrix)"
xensched matrix || fail "xensched matrix"

step "what was done, and why (xensched plan)"
xensched plan || fail "xensched plan"

step "after: where each ran in $look s, by the log"
where_they_ran
number "$share" -ge 95 || fail "the disk guest ran next to dom0 for $share % only"
number "$crossed" -lt $((${crossed_before%.*} / 4)) ||
    fail "of $crossed_before crossings/s, $crossed/s remain"
moved=$(moved_since /run/before)
[ "$moved" = disk ] || fail "not the disk guest alone was moved: $moved"

step "xl vm-affinity restore: everything is restored"
xl vm-affinity restore || fail "xl vm-affinity restore"
[ -z "$(moved_since /run/before)" ] || fail "an affinity is not what it was"

step "less room: $ran_place 0 has only pCPUs 0 and 1 now, and has to compute as well"
xl cpupool-cpu-remove Pool-0 2 && xl cpupool-cpu-remove Pool-0 3 &&
    xl vcpu-pin computing 0 0-1 || fail "cannot take room away"
affinities >/run/crowded
xl vm-affinity act >/run/act.txt || fail "xl vm-affinity act"
until_true 60 no_room || fail "the plan does not say that there is no room"
where_they_ran
moved=$(moved_since /run/crowded)
[ -z "$moved" ] || fail "without room, this was moved: $moved"
number "$share" -lt 50 || fail "without room, the disk guest went to dom0's $ran_place"

step "stopping xenschedd, and room is there again"
stop_daemon
xl vcpu-pin computing 0 all
xl cpupool-cpu-add Pool-0 2 && xl cpupool-cpu-add Pool-0 3 ||
    fail "cannot free the cores again"
affinities >/run/restored
cmp -s /run/before /run/restored || {
    diff /run/before /run/restored
    fail "an affinity was not restored"
}
xl vcpu-list

printf '\ndemo: passed: the disk guest, and only it, was moved next to its driver domain, ran there, '
printf 'and was put back; without room it was left alone\n'
