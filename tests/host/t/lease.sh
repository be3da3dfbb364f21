#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --sockets 1 --cores 2
# time: 240
#
# A scheduler that is dead or stuck costs nothing, and blocks no other one:
# after its lease every event is off, and the next one gets the log
# without a reboot.  One that is alive cannot be disturbed.  Fails if events
# stay on, if the next one has to wait without need, or if two schedulers
# believe to have the log.

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

# Time in ms until the daemon that is being started can be asked; at most 30 s.
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

# While it is alive no other process gets the log.
start_daemon --lease 2000
is "the daemon starts" "$?" 0
check "it holds the log for 2 s at a time" lease_is 2000
check "status says so" sh -c \
    'xensched status | grep -q "^log lease  *for 2000 ms at a time"'
check "check says so" sh -c 'xensched check | grep -q "held by a scheduler"'
xenschedd >second.txt 2>&1
is "a second daemon is refused" "$?" 4
xenschedd --lock lock2 --control control2 --state state2 --journal journal2 \
    >second.txt 2>&1
is "a daemon that does not know of the first is refused" "$?" 4
check "it says why" grep -q "another scheduler holds the log" second.txt
check "and leaves no state" test ! -e state2
schedlog-lease hold 2000 1 >other.txt 2>&1
is "another scheduler is refused" "$?" 1
check "by Xen" grep -q "File exists" other.txt
schedlog-count off 0 any true >other.txt 2>&1
is "no other process can give the area up" "$?" 1
is_charged() { xl schedlog bind Domain-0; }
charged=$(is_charged)
xl schedlog bind Domain-0 5 >other.txt 2>&1
is "another binding is refused" "$? $(is_charged)" "1 $charged"
check "and xl names the reason" grep -q "a scheduler holds the log" other.txt
is "another permission to make marks is refused" "$(schedlog-area mark 0 1)" "mark: EEXIST"
check "commands that ask the daemon may change it" xensched allow-marks 0 on
xensched allow-marks 0 off
check "but other programs can read" xensched record --seconds 1 rows
sleep 3
check "it still holds the log" lease_is 2000

# Killed.
took=$(schedlog-lease kill "$daemon")
wait "$daemon" 2>/dev/null
daemon=
note "from kill -9 to all events off: $took ms, lease 2000 ms"
check "killed, all events are off after its lease" test "$took" -le 2500
check "and not before its lease" test "$took" -ge 1500
check "Xen says so" sh -c 'xl dmesg | grep -q "not renewed by its scheduler"'
is "its area can be given up and made with another layout" \
    "$(schedlog-count off 0 any true)" "rows 0 sum 0 others 0"
start_daemon --lease 10000
is "a new daemon starts" "$?" 0

# Killed, and restarted at once: it knows the cookie.
stop_daemon KILL
check "killed again, its lease goes on" lease_is 10000
xenschedd --log "${daemon_events:?}" --lease 10000 >>"$log" 2>&1 &
daemon=$!
note "from its start until the successor could be asked: $(time_to_start) ms"
check "its successor has the log" xensched status
check "without waiting" sh -c "! grep -q 'waiting for that' $log"

# Killed, and its state is lost: the next one waits.
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
check "while it is stopped all events go off" until_true 5 all_is_off
kill -CONT "$daemon"
check "continued, it holds the log again" until_true 10 lease_is 2000
check "the journal says what happened" \
    grep -q '"what":"log-lost".*stood still' $journal
check "and that it was set up again" grep -q '"what":"log-again"' $journal
before=$(rows_read)
sleep 1
check "rows are read again" test "$(rows_read)" -gt "$before"

# Stopped, and another scheduler has the log when it is continued.
kill -STOP "$daemon"
check "stopped again, all events go off" until_true 5 all_is_off
schedlog-lease hold 3000 10 &
other=$!
check "another scheduler takes the log over" until_true 5 lease_is 3000
kill -CONT "$daemon"
stopped=0
wait "$daemon" || stopped=$?
daemon=
is "continued, the daemon leaves the log to it" "$stopped" 4
check "and the log stays on" lease_is 3000
wait $other
check "all events are off after that scheduler ends without a word" until_true 6 all_is_off

# Ended cleanly, nothing is left at once.
start_daemon --lease 10000
stop_daemon TERM
is "ended cleanly" "$stopped" 0
check "all is off at once" all_is_off
check "the state file is gone" test ! -e /var/lib/xensched/state.json
is "the area is free" "$(schedlog-count off 0 any true)" "rows 0 sum 0 others 0"
finish
