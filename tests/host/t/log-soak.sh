#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# All events are turned on and off SOAK_CYCLES times (300; 1000 of
# make test-full) or more, half of it
# against a rival on the other vCPU that changes the area and the events at the
# same time (programs/xen-log/schedlog-soak.c), while a pCPU goes offline and comes
# back, a guest is destroyed in the middle of its I/O and made again, and
# another one is saved and restored.  What can go wrong: code is rewritten on a
# pCPU that executes it or comes up just then, an area is used or freed that is
# being made or mapped, memory is lost, events go on after they were turned off.
#
# Two pCPUs, since all of them are stopped each time, which takes an emulated
# host long enough.
#
# More of it, from the top:
#
#   tests/host/box --sockets 1 --cores 2 --timeout 3600 \
#       --dom0-append SOAK_CYCLES=30000 tests/host/t/log-soak.sh
#
# box: --sockets 1 --cores 2 --parallel
# only: full
# time: 600

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/talk.sh

quick=300 often=1
! full || quick=1000 often=3
cycles=${SOAK_CYCLES:-$quick}

# memory_is_free MIB: or nearly so.
memory_is_free()
{
    [ "$(xl info free_memory)" -ge $(($1 - 1)) ] || {
        echo "free: $(xl info free_memory) MiB, before: $1 MiB"
        xl list
        return 1
    }
}

# again WHAT COMMAND...: again and again until the end, counted in the file WHAT
again()
{
    local what="$1" n=0

    shift
    while [ ! -f stop ]; do
        "$@" >"$what.out" 2>&1 || {
            cp "$what.out" "$what.failed"
            break
        }
        n=$((n + 1))
        echo $n >"$what"
    done
}

hotplug()
{
    xen-hptool cpu-offline 1 && xen-hptool cpu-online 1 && usleep 500000
}

create_and_destroy()
{
    guest start disk name=passing && guest stop passing
}

save_and_restore()
{
    xl save traveller traveller.saved &&
        xl restore traveller.saved && rm traveller.saved && sleep 1
}

# check_done WHAT DOING: often, and never in vain
check_done()
{
    check "$2: $(cat "$1") times, no failure" \
        test "$(cat "$1")" -ge $often -a ! -f "$1.failed"
    [ ! -f "$1.failed" ] || sed 's/^/# /' "$1.failed"
}

# How often the rarest of the other operations was performed.
rarest()
{
    cat hotplug destroyed restored | sort -n | head -n 1
}

# Rounds of 20 cycles until that is enough of everything; with a pause, since a
# host whose pCPUs are stopped all the time makes no guest.
soak()
{
    local done=0

    until [ $done -ge "$cycles" ] && [ "$(rarest)" -ge $often ]; do
        schedlog-soak 10 10 || return 1
        done=$((done + 20))
        sleep 1
        ! ls ./*.failed >/dev/null 2>&1 || return 1
    done
    echo "$done cycles"
}

soak_quietly()
{
    soak >soak.out 2>&1
}

before=$(xl info free_memory)
guest start paced name=traveller
guest start computing
console_begin
for what in hotplug destroyed restored; do
    echo 0 >$what
done
again hotplug hotplug &
again destroyed create_and_destroy &
again restored save_and_restore &

check "at least $cycles times on and off, and no memory is left" soak_quietly
touch stop
wait
sed 's/^/# /' soak.out
check_done hotplug "pCPU 1 went offline and came back"
check_done destroyed "a guest was made, and destroyed in its I/O"
check_done restored "a guest was saved and restored"
check "the computing guest is still there" xl domid computing
check "the guest that was restored still does I/O" disk_goes_on
is "new events are counted exactly" "$(count_pings 1000)" 1000

guest stop computing
guest stop traveller
# What guests had comes back after a moment.
check "Xen has as much free memory as before, but for 1 MiB" \
    until_true 60 memory_is_free "$before"
check "Xen and dom0 have nothing to complain about" console_quiet
finish
