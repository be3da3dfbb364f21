#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 8
# box: --cores 4 --sockets 2
# time: 360
# only: full
#
# xenstored ends while xenschedd runs.  The toolstack cannot survive that, but the daemon has to: it
# continues to read, reports that it moves no guest, finds the next xenstored, and restores
# affinities without xenstored, or while it hangs.  Fails if the daemon stops reading, ends, or
# takes a host without xenstore for a host without guests.  The host is useless after this test.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs

journal=/var/log/xensched/journal.jsonl
pid_file=/run/xen/xenstored.pid
stopped=

journal_has_times()
{
    [ "$(grep -c "\"what\":\"$1\"" $journal)" = "$2" ]
}

# end_xenstored: kills it.
end_xenstored()
{
    kill -9 "$(cat $pid_file)"
    rm -f $pid_file
}

# The next xenstored has lost the contents of the former one.
start_xenstored()
{
    xenstored --pid-file $pid_file
    until_true 10 xenstore-read / >/dev/null 2>&1
    xen-init-dom0 >/dev/null
}

# The whole journal in one line.
status()
{
    xensched status --json | tr -d ' \n' | sed 's/"journal":.*//'
}

rows()
{
    status | sed 's/.*"nodes":[^}]*},"rows":\([0-9]*\).*/\1/'
}

# known NAME: checks that the daemon knows the guest, and that its affinity is the daemon's.
known()
{
    status_is "$1" affinity '"ours"'
}

more_rows()
{
    [ "$(rows)" -gt "$1" ]
}

guest start paced name=disk
domid=$(xl domid disk)
original=$(soft disk)
start_daemon --mode act
check "the disk guest is moved" until_true 30 soft_is disk "$near"
check "and runs there" runs_near disk

# A xenstored that hangs answers nothing.
stop_daemon KILL
kill -STOP "$(cat $pid_file)"
begin_daemon --mode act --lease 2000
check "while xenstored hangs, a daemon that starts restores the guest" \
    until_true 20 journal_has_times restore-all 1
kill -CONT "$(cat $pid_file)"
check "and the journal has the reason" grep -q \
    "is restored: a former daemon did not end cleanly" $journal
check "when xenstored continues, the guest is moved again" until_true 30 soft_is disk "$near"

# A xenstored that hangs for longer than the lease does not cost the daemon the log.
before=$(rows)
kill -STOP "$(cat $pid_file)"
sleep 15
is "while xenstored hangs, the daemon keeps the log" \
    "$(schedlog-lease show | cut -d' ' -f2)" 2000
check "and reports what it waits for" grep -q \
    "has not answered for 10 s: until then the log is read" "${daemon_log:?}"
kill -CONT "$(cat $pid_file)"
check "when xenstored continues, so does the daemon" until_true 10 more_rows "$before"
is "the daemon did not lose the log" "$(grep -c '"what":"log-lost"' $journal)" 0
check "the guest's affinity is unchanged" soft_is disk "$near"

# As on a real host, another xenstored takes over without a gap.
former=$(cat $pid_file)
check "xenstored is updated while it runs" \
    xenstore-control live-update /usr/sbin/xenstored
xl rename disk renamed
check "the daemon notices later changes" until_true 5 known renamed
is "the daemon did not lose xenstore" "$(grep -c xenstore-lost $journal)" 0
note "xenstored: process $former, $(cat $pid_file) after the update"

end_xenstored
check "the daemon reports that xenstored is killed" \
    until_true 10 journal_has_times xenstore-lost 1
before=$(rows)
check "the daemon continues to read" until_true 5 more_rows "$before"
check "and knows its guests" known renamed
start_xenstored
check "the daemon finds another xenstored" until_true 10 journal_has_times xenstore-again 1
xenstore-write "/local/domain/$domid/name" another
check "and reads its contents" until_true 5 known another
check "the guest's affinity is unchanged" soft_is "$domid" "$near"
check "and runs there" runs_near another

end_xenstored
check "the daemon reports that the next xenstored is killed" \
    until_true 10 journal_has_times xenstore-lost 2
xenschedd --lock /run/second-lock >second.txt 2>&1
is "without xenstored no daemon starts" "$?" 1
check "and the error names the reason" grep -q "is xenstored running" second.txt
stop_daemon TERM
is "without xenstored it ends cleanly" "$stopped" 0
start_xenstored
is "and has restored the guest" "$(soft "$domid")" "$original"
check "nothing is left to restore" test ! -e /var/lib/xensched/state.json
xl destroy "$domid"
finish
