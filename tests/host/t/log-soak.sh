#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# All events are turned on and off SOAK_CYCLES times (300; 1000 in make test-full) or more.  Half of
# the time a rival on the other vCPU changes the area and the events at the same time
# (programs/xen-log/schedlog-soak.c), while a pCPU goes offline and comes back, a guest is destroyed
# during its I/O and made again, and another one is saved and restored.  Fails if code is rewritten
# on a pCPU that executes it or is just coming up, if an area is used or freed while it is made or
# mapped, if memory is lost, or if events continue after they were turned off.
#
# Two pCPUs, because each cycle stops all pCPUs, which takes long enough in an emulated host.
#
# To run more of it, from the top:
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

# memory_is_free MIB: succeeds if about as much is free.
memory_is_free()
{
    [ "$(xl info free_memory)" -ge $(($1 - 1)) ] || {
        echo "free: $(xl info free_memory) MiB, before: $1 MiB"
        xl list
        return 1
    }
}

# again WHAT COMMAND...: repeats it until the end, counted in the file WHAT
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

# check_done WHAT DOING: checks that it ran often, and never failed
check_done()
{
    check "$2: $(cat "$1") times, no failure" \
        test "$(cat "$1")" -ge $often -a ! -f "$1.failed"
    [ ! -f "$1.failed" ] || sed 's/^/# /' "$1.failed"
}

# Prints how often the rarest of the other operations ran.
rarest()
{
    cat hotplug destroyed restored | sort -n | head -n 1
}

# Runs rounds of 20 cycles until there was enough of everything.  Rounds have pauses, because a host
# whose pCPUs are stopped all the time makes no guest.
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
# The memory of ended guests is free after a moment.
check "Xen has as much free memory as before, but for 1 MiB" \
    until_true 60 memory_is_free "$before"
check "the consoles have no errors" console_quiet
finish
