#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2
# box: --mode exact --sockets 1 --cores 2
# time: 240
#
# A scheduler that is dead or stuck costs nothing, and blocks no other one: after its lease every
# event is off, and the next scheduler gets the log without a reboot.  A scheduler that is alive
# keeps the log.  Fails if events stay on, if the next scheduler waits without need, or if two
# schedulers have the log.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
stopped=
log=${daemon_log:?}
journal=/var/log/xensched/journal.jsonl

lease_is()
{
    [ "$(schedlog-lease show | cut -d' ' -f2)" = "$1" ]
}

all_is_off()
{
    [ "$(schedlog-lease show)" = "0 0" ]
}

# In hundredths of a second.
uptime_cs()
{
    cut -d' ' -f1 /proc/uptime | tr -d .
}

# Prints the time in ms, at most 30 s, until the starting daemon can be asked.
time_to_start()
{
    local begin

    begin=$(uptime_cs)
    until xensched status >/dev/null 2>&1 ||
        [ $(($(uptime_cs) - begin)) -gt 3000 ]; do
        sleep 0.05
    done
    echo $((($(uptime_cs) - begin) * 10))
}

rows_read()
{
    xensched status | sed -n 's/^rows *\([0-9]*\) .*/\1/p'
}

# While the daemon is alive no other process gets the log.
start_daemon --lease 2000
is "the daemon starts" "$?" 0
check "it holds the log for 2 s at a time" lease_is 2000
check "status reports that" sh -c \
    'xensched status | grep -q "^log lease  *for 2000 ms at a time"'
check "check reports that" sh -c 'xensched check | grep -q "held by a scheduler"'
xenschedd >second.txt 2>&1
is "a second daemon is refused" "$?" 4
xenschedd --lock lock2 --control control2 --state state2 --journal journal2 \
    >second.txt 2>&1
is "a daemon that does not know of the first is refused" "$?" 4
check "the error has the reason" grep -q "another scheduler holds the log" second.txt
check "and leaves no state" test ! -e state2
schedlog-lease hold 2000 1 >other.txt 2>&1
is "another scheduler is refused" "$?" 1
check "by Xen" grep -q "File exists" other.txt
schedlog-count off 0 any true >other.txt 2>&1
is "no other process can release the area" "$?" 1
is_charged() { xl schedlog bind Domain-0; }
charged=$(is_charged)
xl schedlog bind Domain-0 5 >other.txt 2>&1
is "another binding is refused" "$? $(is_charged)" "1 $charged"
check "and xl names the reason" grep -q "a scheduler holds the log" other.txt
is "another permission to make marks is refused" "$(schedlog-area mark 0 1)" "mark: EEXIST"
check "commands may change it through the daemon" xensched allow-marks 0 on
xensched allow-marks 0 off
check "other programs can read the log" xensched record --seconds 1 rows
sleep 3
check "the daemon still holds the log" lease_is 2000

# Killed.
took=$(schedlog-lease kill "$daemon")
wait "$daemon" 2>/dev/null
daemon=
note "from kill -9 to all events off: $took ms, lease 2000 ms"
check "after a kill, all events are off at the end of the lease" test "$took" -le 2500
check "and not before" test "$took" -ge 1500
check "Xen reports that" sh -c 'xl dmesg | grep -q "not renewed by its scheduler"'
is "the area can be released and made with another layout" \
    "$(schedlog-count off 0 any true)" "rows 0 sum 0 others 0"
start_daemon --lease 10000
is "a new daemon starts" "$?" 0

# Killed and restarted at once: the daemon knows the cookie.
stop_daemon KILL
check "after another kill, the lease continues" lease_is 10000
xenschedd --log "${daemon_events:?}" --lease 10000 >>"$log" 2>&1 &
daemon=$!
note "from its start until the successor could be asked: $(time_to_start) ms"
check "its successor has the log" xensched status
check "without waiting" sh -c "! grep -q 'waiting for that' $log"

# Killed, with its state lost: the next daemon waits.
stop_daemon KILL
rm -r /var/lib/xensched
xenschedd --log "$daemon_events" --lease 2000 >>"$log" 2>&1 &
daemon=$!
note "the same for one without its cookie, a lease of 10 s: $(time_to_start) ms"
check "without the state file it waits for the lease to end" \
    grep -q "waiting for that" "$log"
check "and then holds the log" lease_is 2000

# Stopped for longer than its lease, and continued.
kill -STOP "$daemon"
check "while the daemon is stopped all events are turned off" until_true 5 all_is_off
kill -CONT "$daemon"
check "when it continues, it holds the log again" until_true 10 lease_is 2000
check "the journal has the loss of the log" \
    grep -q '"what":"log-lost".*stood still' $journal
check "and its new set-up" grep -q '"what":"log-again"' $journal
before=$(rows_read)
sleep 1
check "rows are read again" test "$(rows_read)" -gt "$before"

# Stopped, while another scheduler takes the log.
kill -STOP "$daemon"
check "when the daemon is stopped again, all events are turned off" until_true 5 all_is_off
schedlog-lease hold 3000 10 &
other=$!
check "another scheduler takes the log over" until_true 5 lease_is 3000
kill -CONT "$daemon"
stopped=0
wait "$daemon" || stopped=$?
daemon=
is "when the daemon continues, it leaves the log to that scheduler" "$stopped" 4
check "and the log stays on" lease_is 3000
wait $other
check "all events are off after that scheduler is killed" until_true 6 all_is_off

# A clean end leaves nothing behind.
start_daemon --lease 10000
stop_daemon TERM
is "ended cleanly" "$stopped" 0
check "all events are off at once" all_is_off
check "the state file is gone" test ! -e /var/lib/xensched/state.json
is "the area is free" "$(schedlog-count off 0 any true)" "rows 0 sum 0 others 0"
finish
