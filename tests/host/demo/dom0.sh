#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The demo as it goes on in dom0.

set -u

# The pCPUs of socket 0, which dom0 is held on.
near=0-1

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

# Name, vCPU, hard and soft affinity of everything.
affinities()
{
    xl vcpu-list | awk 'NR > 1 { print $1, $3, $(NF - 2), $NF }' | sort
}

# Whose affinity differs from what it was before.
moved()
{
    grep -v -x -F -f /run/before /run/after | cut -d' ' -f1 | sort -u | tr '\n' ' ' |
        sed 's/ $//'
}

soft_affinity()
{
    xl vcpu-list "$1" | awk 'NR == 2 { print $NF }'
}

# until_true SECONDS COMMAND...: a dot each second
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

disk_is_near()
{
    [ "$(soft_affinity disk)" = "$near" ]
}

daemon_is_gone()
{
    ! kill -0 "$daemon" 2>/dev/null
}

step "dom0 serves the disks. It is held on socket 0, pCPUs $near"
xl vcpu-pin Domain-0 all "$near" || fail "cannot pin dom0"

step "starting three guests: one does disk I/O, one computes, one is idle"
for guest in disk computing idle; do
    { guest start "$guest" && printf '%s runs\n' "$guest"; } &
done
wait
for guest in disk computing idle; do
    xl domid "$guest" >/dev/null 2>&1 || fail "guest $guest did not start"
done

step "before (xl vcpu-list)"
xl vcpu-list
affinities >/run/before

# A rate that is reached where pCPUs are emulated, too.
step "xenschedd --mode act --min-rate 20"
xenschedd --mode act --min-rate 20 >/run/xenschedd.log 2>&1 &
daemon=$!
began=$(date +%s)
until_true 60 disk_is_near || fail "the disk guest was not moved within 60 s"
echo "moved $(($(date +%s) - began)) s after the daemon was started"

step "who talks to whom (xensched matrix)"
xensched matrix || fail "xensched matrix"

step "what was done, and why (xensched plan)"
xensched plan || fail "xensched plan"

step "after (xl vcpu-list)"
xl vcpu-list
# Some more rounds, in which nothing else may happen.
sleep 4
affinities >/run/after
[ "$(moved)" = disk ] || fail "not the disk guest alone was moved: $(moved)"
disk_is_near || fail "the disk guest did not stay"

step "stopping xenschedd: everything is put back"
kill -TERM "$daemon"
until_true 20 daemon_is_gone || fail "xenschedd did not stop"
affinities >/run/restored
cmp -s /run/before /run/restored || {
    diff /run/before /run/restored
    fail "an affinity is not what it was"
}
xl vcpu-list

printf '\ndemo: passed: the disk guest, and only it, was moved next to its driver domain, and put back\n'
