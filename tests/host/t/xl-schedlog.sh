#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2 --xen-append xsm=dummy
# box: --mode exact --sockets 1 --cores 2
# time: 120
#
# "xl schedlog" works: enabled events are logged, to the log buffer and with the threshold that it
# set, for the domains that it bound; errors are reported, -N changes nothing, and a log that a
# scheduler holds stays unchanged.

. /usr/lib/box/tap.sh

# fails WORDS COMMAND...: checks that it fails with these words
fails()
{
    local words=$1 said

    shift
    if said=$("$@" 2>&1); then
        echo "$* did not fail: $said"
        return 1
    fi
    echo "$said"
    echo "$said" | grep -q "$words"
}

state_of()
{
    xl schedlog list | awk -v event="$1" '$1 == event { print $NF }'
}

# Bytes written to log buffer $1 on all pCPUs.
written()
{
    xl schedlog stat | awk -v file="$1" 'NR > 1 && $2 == file { n += $4 }
                                         END { print n + 0 }'
}

# rows_became BYTES: rows of log buffer 1, on each pCPU that has written there since stat.
rows_became()
{
    xl schedlog stat | awk -v bytes="$1" '
        NR == FNR { if ($2 == 1) was[$1] = $4; next }
        $2 == 1 && $4 != was[$1] { changed++; if ($3 != bytes) others++ }
        END { print changed + 0, others + 0; exit !changed || others }' stat -
}

# ping N: the sender notifies the listener.
ping()
{
    in_both listener "evtchn-ping listen \$NODE \$PEER" \
        sender "evtchn-ping send \$NODE \$PEER $1" >/dev/null
}

start_all listener sender

is "every event is listed, and off" \
    "$(xl schedlog list | awk 'NR > 1 { print $NF }' | sort -u)" off
check "without a log stat reports that" fails "xl schedlog sizes" xl schedlog stat
check "no event without a log" fails "no log is set up" \
    xl schedlog enable evtchn-send
check "sizes have to be powers of two" fails "powers of two" \
    xl schedlog sizes 64 1000 4096
check "-N makes no log" xl -N schedlog sizes 64 65536 65536
is "no log exists after -N" "$(xl schedlog sizes | awk 'NR == 1 { print $NF }')" 0
check "a log is made" xl schedlog sizes 64 65536 65536
is "the log has the given sizes" "$(xl schedlog sizes | awk 'NR == 2 { print $(NF - 1), $NF }')" \
    "65536 65536"
check "a second log is refused" fails "there is a log already" \
    xl schedlog sizes 128 65536 65536

check "domains are bound" xl schedlog bind sender 5
check "by name or domid" xl schedlog bind "$(domid listener)" 6
is "and have these numbers" \
    "$(xl schedlog bind sender) $(xl schedlog bind listener)" "5 6"
check "an unknown domain is refused" fails "nobody is an invalid domain" \
    xl schedlog bind nobody 5
check "a route for the sender is set" xl schedlog route sender evtchn-send 1
is "and shown" "$(xl schedlog route 5 | awk 'NR > 1 { print $1, $2, $3, $4 }')" \
    "5 evtchn-send 1 1"
check "log buffer 2 does not exist" fails "not a number up to 1" \
    xl schedlog route 5 evtchn-send 2
check "accounting domain 64 neither" fails "no accounting domain 64" \
    xl schedlog route 64 evtchn-send 1
check "an unknown event is refused" fails "xl schedlog list" \
    xl schedlog route 5 evtchn-sent 1

check "-N enables nothing" xl -N schedlog enable evtchn-send
is "it is off" "$(state_of evtchn-send)" off
check "enable" xl schedlog enable evtchn-send grant-map
is "it is on" "$(state_of evtchn-send) $(state_of grant-map)" "on on"
ping 300
sent=$(written 1)
note "of 300 notifications: $sent bytes"
# Some more, of the console and xenstore, go to dom0.
check "each notification is a row of 16 bytes" test $((sent % 16)) = 0 -a \
    "$sent" -ge 4800 -a "$sent" -le 6400
is "in this log buffer alone" "$(written 0)" 0
xl schedlog threshold sender grant-map 10 >said 2>&1
is "a threshold without a route is refused" "$?" 1
check "with the remedy" grep -q "xl schedlog route sender grant-map" said
check "a threshold" xl schedlog threshold sender evtchn-send 10
ping 300
more=$(($(written 1) - sent))
note "of 300 with threshold 10: $more bytes"
check "every tenth is a row" test $((more % 16)) = 0 -a \
    "$more" -ge 464 -a "$more" -le 640
check "a register is shown" equal "$(xl schedlog register 1)" \
    "1: event current correspondent counter tsc pad=0 shift=10"
check "-N sets none" xl -N schedlog register 1 event
check "a row without time" xl schedlog register 1 event current correspondent
is "has the selected fields" "$(xl schedlog register 1)" \
    "1: event current correspondent pad=0 shift=0"
is "for this file alone" "$(xl schedlog register 0)" \
    "0: event current correspondent counter tsc pad=0 shift=10"
xl schedlog threshold sender evtchn-send 1
before=$(written 1)
xl schedlog stat >stat
ping 300
less=$(($(written 1) - before))
note "of 300 with half of the row: $less bytes"
check "rows are 8 bytes now" test $((less % 8)) = 0 -a \
    "$less" -ge 2400 -a "$less" -le 3200
check "the register shows rows of 8 bytes" rows_became 8
check "a field that cannot be in a row is named" fails "'colour' cannot be in a row" \
    xl schedlog register 1 event colour
check "a register with two times is refused" fails "one time" xl schedlog register 1 tsc tick
check "a register of a missing log buffer is refused" fails "no log buffer 2" \
    xl schedlog register 2 event
check "a route to nowhere" xl schedlog route sender evtchn-send none
before=$(written 1)
ping 100
is "nothing is logged" "$(written 1)" "$before"
check "disable one" xl schedlog disable evtchn-send
is "the other one stays" "$(state_of evtchn-send) $(state_of grant-map)" "off on"
check "disable all" xl schedlog disable
is "it is off" "$(state_of grant-map)" off
check "the log is released" xl schedlog sizes none
is "there is none" "$(xl schedlog sizes | awk 'NR == 1 { print $NF }')" 0

# A scheduler holds the log.
xenschedd --mode observe >xenschedd.log 2>&1 &
holder=$!
check "stat shows the scheduler" \
    until_true 10 sh -c "xl schedlog list | grep 'holds the log'"
check "its events cannot be turned off" fails "a scheduler holds the log" \
    xl schedlog disable
check "rows of a held log cannot be changed" fails "a scheduler holds the log" \
    xl schedlog register 0 event
check "a route of a held log cannot be changed" fails "a scheduler holds the log" \
    xl schedlog route 0 evtchn-send none
check "a held log cannot be given up" fails "a scheduler holds the log" \
    xl schedlog sizes none
kill $holder
wait $holder
finish
