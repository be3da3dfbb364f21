#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2
# box: --mode exact --sockets 1 --cores 2 --dom0-vcpus 1
# time: 240
# only: full
#
# If a guest's configuration allows it, the host's recording has the guest's threads, at the host's
# time.  Two threads take turns.  Fails if one ran longer or shorter than its kernel counts, if the
# states of a thread do not add up to the whole time, if a thread's waker is unknown, or if a guest
# without permission reports.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/timeline.sh

modules=/lib/xensched
rounds=1000
rec=$RESULTS/threads.rows
# shellcheck disable=SC2034 # for start_daemon
daemon_settings="--log service-ns,wake-delay,evtchn-send,evtchn-recv,migrate,guest-switch,guest-wake,guest-name"
insert="insmod $modules/xensched_log.ko && insmod $modules/xensched_guest.ko"

# threads GUEST: prints a line for each thread, with the numbers used below
threads()
{
    tr -d ' \n' </run/timeline.json | sed 's/.*"threads":\[//; s/\].*//; s/},{/}\n{/g' |
        grep "\"domain\":\"$1\""
    echo
}

# of NAME KEY: prints the number KEY of the guest's thread NAME.  Two threads have that name; this
# is the one that another thread wakes, not the program that starts it.
of()
{
    threads runner | grep "\"name\":\"$1.*\"woken\":[1-9]" |
        sed -n "s/.*\"$2\":\([0-9]*\).*/\1/p"
}

# adds_up: to a nanosecond, for each thread
adds_up()
{
    length=$(tr -d ' \n' </run/timeline.json |
        sed 's/.*"length_ns":\([0-9]*\).*/\1/')
    threads runner | awk -v length_ns="$length" '
        function number(key) {
            match($0, "\"" key "\":[0-9]*")
            return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
        }
        NF {
            nr++
            if (number("running_ns") + number("runnable_ns") + number("blocked_ns") +
                number("unknown_ns") + number("lost_ns") != length_ns) {
                print
                wrong++
            }
        }
        END { exit wrong || nr < 2 }'
}

# near A B: the difference is at most 3 % or 2 ms
near()
{
    awk -v a="$1" -v b="$2" 'BEGIN {
        print a, "and", b, "ms"
        exit !(b > 5 && a >= 0.97 * b - 2 && a <= 1.03 * b + 2) }'
}

console_begin
guest start obedient name=runner cpus=1 "xl=vm_affinity_log = 1" &
guest start obedient name=silent cpus=1 &
wait
xl vcpu-pin Domain-0 all 0
for guest in runner silent; do
    check "the modules can be used in $guest" in_guest $guest "$insert"
done
start_daemon --mode observe
is "the daemon starts" "$?" 0
xensched record --seconds 120 $rec 2>/run/said &
recorder=$!
check "the daemon requests the guest's log of threads" until_true 20 \
    xenstore-exists "/local/domain/$(domid runner)/schedlog/area/directory"
check "it does not request the log of a guest without permission" sh -c \
    "! xenstore-exists '/local/domain/$(domid silent)/schedlog/request/events'"
sleep 2
check "two threads hand over" in_guest runner "handover --no-log $rounds"
in_guest silent "true"
sleep 2
kill -INT $recorder
wait $recorder || cat /run/said
cat /run/said
stop_daemon TERM
guest output runner >/run/handover
ms=$(awk '$1 == "cpu-ms" { print $2 }' /run/handover)

check "the timeline is made" sh -c "xensched timeline --json $rec >/run/timeline.json"
threads runner | grep -E 'handover|hands'
check "the first thread ran as long as its kernel counts" \
    near "$(($(of handover running_ns) / 1000000))" "$ms"
check "each thread's states add up to all of the time" adds_up
check "it was woken in each round" test "$(of handover woken)" -ge $((rounds * 9 / 10))
check "the other one, which never has to wait, has its name" \
    sh -c "grep -q '<i>hands back</' /run/timeline.json"
note "rows of Linux: $(number rows_of_linux), by $(number absent_ns) ns at most"
is "each row of it was written while its vCPU ran, as Xen says" \
    "$(number rows_while_not_running)" 0
check "there are enough of them" test "$(number rows_of_linux)" -gt 2000
is "no thread of the guest without permission is known" "$(threads silent)" ""
guest stop runner
guest stop silent
check "the consoles have no errors" console_quiet
finish
