#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4 --xen-append xsm=dummy
#
# The controls of the log work as public/schedlog.h says, on a real Xen and while it is logging:
# where rows go, how many are left out, their contents, the charged domain, the size of the area,
# and which pCPUs have one.  Two guests make known numbers of events: notifications and marks.
#
# time: 400

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

# Each pCPU counts thresholds, so the guests are bound to one pCPU.
set_up_guests()
{
    start_all "marker:vcpus=2" other
    xl vcpu-pin marker all 2
    xl vcpu-pin other all 2
    schedlog-area mark "$(domid marker)" 1 , mark "$(domid other)" 1
}

log_both()
{
    log_guest marker $ONE
    log_guest other $TWO
}

# Sends N notifications from marker to the other guest.
send()
{
    in_both other "evtchn-ping listen \$NODE \$PEER" \
        marker "evtchn-ping send \$NODE \$PEER $1"
}

make_events()
{
    in_guest marker "mark 1 70"
    in_guest other "mark 1 30"
    send 50
}

# in_files: prints for each of the four log buffers: marks of ONE, marks of TWO, notifications of
# ONE
in_files()
{
    local file

    for file in 0 1 2 3; do
        schedlog-area rows $file >log.rows
        echo "$(rows mark $ONE none) $(rows mark $TWO none)" \
             "$(rows evtchn-send $ONE $TWO)"
    done | tr '\n' ',' | sed 's/,$//'
}

# try_routes ACCT EVENT FILE...: sets $routed, the contents of the log buffers
try_routes()
{
    log_set_up 65536 65536 65536 65536
    schedlog-area bind "$(domid marker)" all $ONE , bind "$(domid other)" all $TWO
    while [ $# -gt 0 ]; do
        schedlog-area route "$1" "$2" "$3"
        shift 3
    done
    logging mark,evtchn-send make_events
    routed=$(in_files)
}

routes()
{
    try_routes $ONE all 0 $TWO all 0
    is "one log buffer for all" "$routed" "70 30 50,0 0 0,0 0 0,0 0 0"
    try_routes $ONE mark 1 $ONE evtchn-send 3
    is "one log buffer for each event, none for an event without a route" "$routed" \
        "0 0 0,70 0 0,0 0 0,0 0 50"
    try_routes $ONE all 2 $TWO all 3
    is "one log buffer for each accounting domain" "$routed" \
        "0 0 0,0 0 0,70 0 50,0 30 0"
    try_routes $ONE mark 1 $TWO all 2 $ONE evtchn-send 2
    is "groups" "$routed" "0 0 0,70 0 0,0 30 50,0 0 0"
}

mark_both()
{
    in_guest marker "mark 1 1000"
    in_guest other "mark 1 500"
}

thresholds()
{
    log_set_up 65536
    log_both
    schedlog-area route $ONE mark 0 7
    schedlog-area route $TWO mark 0 10
    logging mark mark_both
    is "every 7th of 1000, and every 10th of 500" \
        "$(rows mark $ONE none) $(rows mark $TWO none)" "142 50"
    is "and not only the first ones" \
        "$(awk '$3 == 2 { print $5 }' log.rows | head -n 3 | tr '\n' ' ')" \
        "7 14 21 "
}

# Both events have the same run intervals.  Ticks report parts of them, without an end.
split_threshold()
{
    local all some

    log_set_up 1048576 1048576
    log_guest other $ONE
    schedlog-area route $ONE service-tsc 1
    schedlog-area route $ONE service-ns 0 4
    logging service-ns,service-tsc in_guest other "doze 100 5"
    some=$(awk '$4 != "none"' log.rows | wc -l)
    all=$(schedlog-area rows 1 | awk '$4 != "none"' | wc -l)
    check "there were run intervals" test "$all" -ge 100
    check "every 4th run interval of $all is measured" \
        between $((all / 4 - 1)) $((all / 4 + 1)) "$some"
}

# Up to a threshold's worth of events is unknown at the end of an interval, and the next threshold
# can be smaller: 10000 events in intervals of 20 ms are off by less than 10 % with thresholds up to
# 20.
sampling()
{
    local events=10000 sampled

    log_set_up 1048576
    log_guest marker $ONE
    cat >sampled <<END
. /usr/lib/box/tap.sh
in_guest marker "mark 1 $events"
END
    schedlog-area events mark
    sampled=$(schedlog-sample $ONE mark 20 20 sh ./sampled)
    schedlog-area events
    note "$events events: $sampled"
    check "random thresholds: the estimate is off by less than 10 %" \
        between $((events * 90 / 100)) $((events * 110 / 100)) \
        "$(echo "$sampled" | cut -d' ' -f4)"
    check "with far fewer rows" \
        between 1 $((events / 3)) "$(echo "$sampled" | cut -d' ' -f2)"
    check "and many thresholds" \
        between 3 100000 "$(echo "$sampled" | cut -d' ' -f6)"
}

# A row of 16 bytes in a log buffer of 16 bytes.
counting()
{
    log_set_up 16
    schedlog-area register 0 counter64 add pad=4
    log_guest marker $ONE
    logging mark in_guest marker "mark 1 1000"
    is "one row has the sum of 1000" "$(cut -d' ' -f5 log.rows)" 500500
}

time_stamps()
{
    log_set_up 65536
    log_both
    schedlog-area register 0 event counter
    logging mark in_guest marker "mark 1 20"
    is "rows without a time" "$(awk '{ print $2, $6 }' log.rows | sort -u)" \
        "mark -"

    log_set_up 65536
    log_both
    schedlog-area register 0 event counter virtual
    logging mark in_guest marker "mark 1 20"
    is "virtual time counts the rows of the pCPU" \
        "$(awk '{ print $6 }' log.rows | tr '\n' ' ')" \
        "$(seq 0 19 | tr '\n' ' ')"
}

# close_by: prints which part of the rows has the same time in ticks and in cycles, within 20 ms.
# The clocks' offset is the median of all rows: a late tick has a late time.
close_by()
{
    awk -v khz="$(log_info tsc_khz)" '
        NR == FNR { tick[NR] = $6 * 10; next }
        { printf "%.3f\n", tick[FNR] - $6 / khz }' log.rows tsc.rows | sort -n | awk '
        { offset[NR] = $1 }
        END {
            median = offset[int((NR + 1) / 2)]
            for (i = 1; i <= NR; i++)
                if (offset[i] >= median - 20 && offset[i] <= median + 20)
                    close_by++
            print close_by / NR
        }'
}

# Two events have the same run intervals: rows of one have ticks, rows of the other TSCs.  A machine
# that lets the timers of an emulated pCPU wait makes ticks late: the test fails if that happens
# three times in a row.
ticks()
{
    local attempt

    for attempt in 1 2 3; do
        log_set_up 1048576 1048576
        schedlog-area register 0 event current correspondent counter tick
        log_guest marker $ONE
        schedlog-area route $ONE service-tsc 1
        logging service-ns,service-tsc in_guest marker "timeout 2 spin 1000000"
        schedlog-area rows 1 >tsc.rows
        between 0.9 1 "$(close_by)" >/dev/null && break
        note "attempt $attempt: $(close_by) of the rows are within 20 ms"
    done
    is "rows with ticks and rows with TSCs have the same run intervals" \
        "$(cut -d' ' -f1,3,4 <log.rows)" "$(cut -d' ' -f1,3,4 <tsc.rows)"
    check "there are some rows" test "$(wc -l <log.rows)" -gt 50
    note "from $(awk 'NR == 1 { print $6 }' log.rows) to" \
        "$(awk 'END { print $6 }' log.rows) ticks," \
        "from $(awk 'NR == 1 { print $6 }' tsc.rows) to" \
        "$(awk 'END { print $6 }' tsc.rows) cycles at $(log_info tsc_khz) kHz"
    check "both have the same time, nine of ten within 20 ms" \
        between 0.9 1 "$(close_by)"
}

has_rows()
{
    schedlog-area rows 0 | grep -q .
}

# amidst CHANGE...: changes the log while marker makes 10000 marks, after the first marks were
# logged.  marker pauses after every fifty, two seconds in all at least, so that the change, which
# takes a few processes, comes well before the last mark.
amidst()
{
    in_guest marker "mark 1 10000 10" &
    until_true 30 has_rows
    "$@"
    wait
}

# in_order: prints how many rows are marks with the codes 1, 2, 3...
in_order()
{
    awk '$2 == "mark" && $5 == marks + 1 { marks++ }
         END { print marks + 0, "of", NR }'
}

registers()
{
    log_set_up 1048576
    log_guest marker $ONE
    schedlog-area register 0 event counter
    logging mark amidst schedlog-area register 0 full
    schedlog-area former 0 event counter >former.rows
    note "$(wc -l <former.rows) rows before and $(wc -l <log.rows) after"
    check "there are rows before and after the register was changed" test \
        "$(wc -l <former.rows)" -gt 0 -a "$(wc -l <log.rows)" -gt 0
    is "none of 10000 is lost or wrong" \
        "$(cat former.rows log.rows | in_order)" "10000 of 10000"
    is "and rows have what the register selects" \
        "$(cut -d' ' -f3,4 <former.rows | sort -u),$(cut -d' ' -f3,4 <log.rows |
           sort -u)" "- -,$ONE none"
}

bindings()
{
    local domid

    domid=$(domid marker)
    log_set_up 1048576 1048576
    log_guest marker $ONE
    schedlog-area route $TWO all 1
    schedlog-area route 0 all 1
    logging mark amidst schedlog-area bind "$domid" all $TWO
    schedlog-area rows 1 >other.rows
    note "$(wc -l <log.rows) rows of one and $(wc -l <other.rows) of the other"
    is "a guest gets another accounting domain: no mark is lost" \
        "$(cat log.rows other.rows | in_order)" "10000 of 10000"
    is "no mark is charged to a third accounting domain" \
        "$(cut -d' ' -f3 <log.rows | sort -u) $(cut -d' ' -f3 <other.rows |
           sort -u)" "$ONE $TWO"

    log_set_up 65536
    log_guest marker $ONE
    log_guest marker $TWO
    schedlog-area bind "$domid" 0 $ONE
    schedlog-area bind "$domid" 1 $TWO
    logging mark in_guest marker "taskset 1 mark 1 100; taskset 2 mark 101 50"
    is "each vCPU has its own accounting domain" \
        "$(rows mark $ONE none) $(rows mark $TWO none) $(wc -l <log.rows)" \
        "100 50 150"
    is "and its own marks" \
        "$(awk '($3 == 2) != ($5 <= 100)' log.rows | wc -l)" 0
}

same_domain()
{
    log_set_up 65536
    log_guest marker $ONE
    log_guest other $ONE
    schedlog-area bind 0 all $ONE
    logging evtchn-send,evtchn-recv send 200
    is "there are no rows within an accounting domain" \
        "$(rows evtchn-send $ONE any) $(rows evtchn-recv $ONE any)" "0 0"
}

# The largest number of accounting domains and log buffers.
sizes()
{
    local domid

    schedlog-area release
    is "memory is freed" "$(log_info used_bytes)" 0
    log_set_up 65536
    is "a second layout is refused" "$(schedlog-area setup 16 4096)" \
        "setup: EBUSY"
    check "the same layout is accepted" schedlog-area setup 16 65536
    log_set_up 4096 16 16 1048576
    is "after a release, another layout is accepted" \
        "$(log_info nr_files) $(log_info data_size)" "4 1056768"
    schedlog-area release
    is "more than the command line allows is refused" \
        "$(schedlog-area setup 16 16777216x64)" "setup: E2BIG"
    is "and leaves nothing behind" "$(log_info used_bytes)" 0

    domid=$(domid marker)
    check "the largest number of everything can be set up" \
        schedlog-area setup 32768 16x1024
    note "it takes $(log_info used_bytes) bytes"
    schedlog-area register all counter
    schedlog-area bind "$domid" all 32767
    schedlog-area route 32767 mark 1023
    schedlog-area events mark
    in_guest marker "mark 7 3"
    schedlog-area events
    is "and the last accounting domain logs to the last log buffer" \
        "$(schedlog-area rows 1023 | cut -d' ' -f5 | tr '\n' ' ')" "7 8 9 "
    is "there is no accounting domain beyond the last" \
        "$(schedlog-area bind "$domid" all 32768)" "bind: EINVAL"
    schedlog-area bind "$domid" all 0
    schedlog-area release
    is "its memory is freed, too" "$(log_info used_bytes)" 0
}

# samples CPU: prints how often its run queue was sampled
samples()
{
    schedlog-area rows 0 | awk -v cpu="$1" '$1 == cpu' | wc -l
}

samples_above()
{
    [ "$(samples "$1")" -gt "$2" ]
}

# more_samples CPU BEFORE: waits for more samples, for a few seconds
more_samples()
{
    until_true 10 samples_above "$1" $(($2 + 5))
}

hotplug()
{
    local before

    if on_arm64; then
        skip "pCPU 1 goes offline and comes back" "Xen for arm64 cannot switch it off"
        return
    fi

    log_set_up 1048576
    schedlog-area route 1 runq 0
    schedlog-area events runq
    check "pCPU 1 logs" more_samples 1 0
    xen-hptool cpu-offline 1 >/dev/null
    before=$(samples 1)
    check "pCPU 1 goes offline: the others continue" more_samples 3 "$(samples 3)"
    is "pCPU 1 logs nothing" "$(samples 1)" "$before"
    xen-hptool cpu-online 1 >/dev/null
    check "pCPU 1 is back: its log continues where it was" \
        more_samples 1 "$before"
    schedlog-area events

    xen-hptool cpu-offline 1 >/dev/null
    log_set_up 1048576
    schedlog-area route 1 runq 0
    is "set-up with pCPU 1 offline: the others have an area" \
        "$(log_info nr_cpus) $(schedlog-area frames 1)" "4 frames: ENODEV"
    schedlog-area events runq
    check "and log" more_samples 3 0
    xen-hptool cpu-online 1 >/dev/null
    schedlog-area register all full
    check "pCPU 1 comes online: it gets an area and logs" more_samples 1 0
    schedlog-area events
}

# Compares Xen's own report of nodes with each frame of each pCPU's area.
numa()
{
    local cpu node

    if [ "$(xl info | awk '$1 == "nr_nodes" { print $3 }')" = 1 ]; then
        skip "memory of the log is on the pCPU's node" "there is one node only"
        return
    fi
    log_set_up 65536
    xl dmesg -c >/dev/null
    xl debug-keys u
    xl dmesg | grep -o 'NODE.* start->.* size->[0-9]*' | tr -c '0-9\n' ' ' >nodes
    for cpu in 0 1 2 3; do
        node=$(xl info -n | awk -v cpu="$cpu:" '
            /^cpu:/ { on = 1 }
            on && $1 == cpu { print $4; exit }')
        is "pCPU $cpu: the memory that it writes to is on its node $node" \
            "$(schedlog-area frames $cpu | awk -v node="$node" '
                NR == FNR { start[$1] = $2; size[$1] = $3; next }
                { all++ }
                $1 >= start[node] && $1 < start[node] + size[node] { there++ }
                END { print there "/" all }' nodes -)" "17/17"
    done
}

set_up_guests
routes
thresholds
split_threshold
sampling
counting
time_stamps
ticks
registers
bindings
same_domain
sizes
hotplug
numa
schedlog-area release
finish
