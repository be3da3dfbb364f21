#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: --sockets 1 --cores 4
# time: 500
# only: full
#
# "xensched on" on a real host.  A guest is stopped within a mark's hypercall, and when a thread is
# about to run: by its own counters, no vCPU of it runs after that.  Fails if one does, if a
# reaction is late or missing, if its actions are out of order, or if a guest stays stopped after
# its client was killed.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/daemon.sh

modules=/lib/xensched
# shellcheck disable=SC2034 # for start_daemon
daemon_settings="--lease 60000 --log service-ns,wake-delay,evtchn-send,migrate,mark"

look()
{
    witness look "$node" "$web"
}

# goes_on: the guest makes marks.
goes_on()
{
    local before after

    before=$(look | cut -d' ' -f1)
    usleep 300000
    after=$(look | cut -d' ' -f1)
    [ "$after" -gt "$before" ]
}

# interrupt PID: repeats the signal, because a program that is just starting ignores it.
interrupt()
{
    for _ in 1 2 3 4 5 6; do
        kill -INT "$1" 2>/dev/null
        sleep 1
    done
}

stands_still()
{
    ! goes_on
}

# Reads twice, half a second apart, a pair of lines each time; then the guest continues.
# witnessed CONDITION TIMES: writes the pairs to /run/looks.
witnessed()
{
    : >/run/looks
    xensched on "$1" --times "$2" --every 0 --do stop \
        "shell witness look $node $web >>/run/looks; usleep 500000;
            witness look $node $web >>/run/looks" unpause >/run/said 2>&1 ||
        cat /run/said
}

# Counts pairs whose first five numbers are the same.
pairs_same()
{
    awk -v n="$1" '{ line = $1 " " $2 " " $3 " " $4 " " $5 }
        NR % 2 { first = line; next }
        line == first { same++ }
        END { print same + 0, "of", NR / 2; exit same != n || NR != 2 * n }' \
        /run/looks
}

console_begin
guest start obedient name=web vcpus=3 memory=256
check "the modules can be used in the guest" in_guest web \
    "insmod $modules/xensched_log.ko && insmod $modules/xensched_guest.ko"
web=$(domid web)
node=$(meeting 0 "$web")
in_guest web "witness run $node >/dev/null 2>&1 &"
check "the guest runs" until_true 20 goes_on
start_daemon --mode observe
is "the daemon starts" "$?" 0

# Stops.
witnessed "mark web 7" 5
check "the guest is stopped five times at a mark" \
    grep -q '^met 5 times' /run/said
check "and nothing of it runs meanwhile, on any vCPU" pairs_same 5
check "it is within the hypercall: none returns after its mark" awk '
    $1 % 1000 != 8 || $2 != $1 - 1 { print; bad = 1 }
    END { exit bad || NR != 10 }' /run/looks
check "then it continues" goes_on
witnessed "switch-to web victim" 5
check "it is stopped five times when a thread, by its name, is to run" \
    grep -q '^met 5 times' /run/said
check "and nothing of it runs meanwhile" pairs_same 5
check "the thread has not run" awk '$4 != 1 { print; bad = 1 }
    END { exit bad || NR != 10 }' /run/looks
victim=$(look | cut -d' ' -f5)
witnessed "switch-from web $victim" 5
check "it is stopped five times when the thread, by its PID, leaves" \
    grep -q '^met 5 times' /run/said
check "and the thread's PID is reported" \
    sh -c "grep '^switch-from' /run/said | grep -c ': $victim,' | grep -qx 5"
check "it goes on" goes_on

# A program that is killed.
xensched on "mark web 9" --do stop "shell sleep 100" unpause 2>/dev/null &
pid=$!
check "it is stopped as long as a slow program runs" until_true 10 stands_still
check "and the daemon reports why" until_true 10 status_is web stopped true
kill -9 $pid
check "the guest continues when the program is killed" until_true 5 goes_on
xensched on "mark web 9" --do stop "shell exit 3" unpause >/dev/null 2>/run/said
is "a failed action sets the exit code" "$?" 1
check "and is reported in words" grep -q "'exit 3' ended with status 3" /run/said
check "nothing stays stopped after it" goes_on
xensched on "wake-delay web > 3600s" --do "shell true" 2>/run/said &
pid=$!
interrupt $pid
wait $pid
is "Ctrl-C without an event ends it with success" "$?" 0
xensched on "mark web 9" --do stop >/dev/null 2>&1
check "on request it stays stopped" stands_still
xl unpause web
check "until an operator resumes it" goes_on
xensched on "mark web 9" --do stop "shell sleep 100" >/dev/null 2>&1 &
pid=$!
until_true 10 stands_still
stop_daemon KILL
kill -9 $pid
check "no process is left that would resume it" stands_still
start_daemon --mode observe
check "a restarted daemon does" until_true 5 goes_on
# shellcheck disable=SC2154 # of daemon.sh
check "and reports it" grep -q 'was stopped for a program that has ended' $daemon_log

# Reactions without a stop.
xensched on "mark web 7" --times 5 --every 0 \
    --do "shell witness look $node $web >>/run/late" "journal it was seven" \
    >/run/said 2>&1
check "one without a stop reports five times" grep -q '^met 5 ' /run/said
sed -n 's/.*, \(.*\) ms after it happened/\1/p' /run/said | sort -n >/run/late
note "ms after it happened: $(tr '\n' ' ' </run/late)"
check "soon after it happened, most times" awk '
    { late[NR] = $1 } END { exit NR != 5 || late[3] > 100 }' /run/late
check "and the journal has its line" \
    grep -q '"what":"note".*"text":"it was seven"' \
    /var/log/xensched/journal.jsonl
xensched record --ring 1M --trigger /run/xensched-record 2>/dev/null &
recorder=$!
sleep 2
xensched on "service web > 50%" --do "snapshot /run/snap-%n.rows" pause \
    "shell touch /run/paused" unpause "shell false" "shell touch /run/never" \
    >/run/said 2>&1
check "actions come in order" test -s /run/snap-1.rows -a -e /run/paused
check "until the first that fails" test ! -e /run/never
check "the snapshot is a recording" \
    xensched dump --summary /run/snap-1.rows
xensched on "service web > 50%" --do stop-recording >/dev/null 2>&1
wait $recorder
is "a recording is stopped" "$?" 0
xensched on "mark web 7" --dry-run --do stop "shell touch /run/never" >/run/said
check "a dry run reports what would be done" grep -q 'would do: shell touch' /run/said
check "and does nothing" test ! -e /run/never
check "no guest is stopped by it" goes_on
check "an impossible condition is reported" sh -c \
    "xensched on 'mark nobody 7' --do pause 2>&1 | grep -q \"no domain 'nobody'\""
check "and an event that is not logged" sh -c \
    "xensched on 'runq > 1' --do 'shell true' 2>&1 | grep -q 'needs the event runq'"
stop_daemon TERM

# Reactions of the configuration.
cat >/run/xensched.conf <<'END'
log = [ "service-ns", "mark" ]
mode = "observe"
reactions = [ "times=1 mark web 7 do stop; shell witness look $NODE $XENSCHED_DOMID >/run/conf; unpause",
              "dry-run mark web 8 do shell touch /run/never" ]
END
# shellcheck disable=SC2034 # for start_daemon
daemon_settings=
export NODE="$node"
start_daemon --config /run/xensched.conf
check "the reaction of the configuration acts" until_true 20 test -s /run/conf
check "with the guest stopped" awk '$1 % 1000 != 8 || $2 != $1 - 1 { exit 1 }' \
    /run/conf
check "and it goes on" until_true 5 goes_on
check "the journal has both" until_true 20 grep -q \
    '"condition":"mark web 8".*"dry_run":true' /var/log/xensched/journal.jsonl
check "the dry run did nothing" test ! -e /run/never
stop_daemon TERM
check "the guest still goes on" goes_on
guest stop web
check "the consoles have no errors" console_quiet
finish
