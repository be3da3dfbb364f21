#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
#
# Events about vCPUs, memory and marks, each compared with what is known without the log: how often
# a guest slept, where it was bound, how much memory Xen says it has, how many vCPUs spin on a pCPU.
# Fails if a site is missed, charges another domain, or logs a wrong value.
#
# time: 240

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

# All guests share pCPU 3; dom0 runs elsewhere, so it does not disturb them.
guests="sleeper spinner rival"

set_up_guests()
{
    local guest

    xl vcpu-pin Domain-0 all 0-1
    start_all sleeper
    # While one spins, the emulator of arm64 hardly gets on with the start of another.
    guest start computing name=spinner
    xl pause spinner
    guest start computing name=rival
    xl pause rival
    for guest in $guests; do
        xl vcpu-pin "$guest" all 3
    done
}

# median: prints the median of the counters of all rows
median()
{
    awk '{ print $5 }' log.rows | sort -n |
        awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] + 0 }'
}

# stays: prints how often the sleeper had a pCPU.  Ticks report parts of a run interval, without a
# correspondent.
stays()
{
    awk -v acct=$ONE '$2 == "service-ns" && $3 == acct && $4 != "none"' log.rows |
        wc -l
}

# A wake-up on an idle pCPU, and on a pCPU that another vCPU may keep for 30 ms.  The guest sleeps
# 2 ms, so it has to wait 28 ms if it is never late.
#
# No other domain wants the idle pCPU, so each run interval there began with a wake-up, including
# those for the timers of the guest's kernel.  One may have begun before or ended after the
# recording.
wake_delay()
{
    log_set_up 1048576
    log_guest sleeper $ONE
    logging wake-delay,service-ns in_guest sleeper "doze 300 2"
    woken=$(rows wake-delay $ONE any)
    check "the guest was woken as often as it slept" between 300 100000 "$woken"
    check "and had a pCPU as often as it was woken" \
        between $((woken - 1)) $((woken + 1)) "$(stays)"
    awk '$2 == "wake-delay"' log.rows >woken.rows
    mv woken.rows log.rows
    note "300 sleeps: $woken wake-ups, $(median) ns"
    check "on an idle pCPU it runs soon" between 1 5000000 "$(median)"

    xl unpause spinner
    xl sched-credit2 -s -r 30000 >/dev/null
    log_set_up 1048576
    log_guest sleeper $ONE
    logging wake-delay in_guest sleeper "doze 30 2"
    note "30 sleeps: $(rows wake-delay $ONE any) wake-ups, $(median) ns"
    check "on a busy pCPU it waits" between 15000000 60000000 "$(median)"
    xl sched-credit2 -s -r 1000 >/dev/null
}

preemption()
{
    xl unpause rival
    log_set_up 1048576
    log_guest spinner $ONE
    log_guest rival $TWO
    logging wake-delay,preempt-delay,wait-part,service-ns sleep 1
    xl pause rival
    left=$(rows service-ns $ONE $TWO)
    check "two that spin preempt each other" between 4 100000 "$left"
    check "each time one of them waits, which makes a row" \
        between $((left - 1)) $((2 * left)) "$(rows preempt-delay $ONE any)"
    # dom0 may have had the pCPU as well; then the wait is for several domains.
    check "the wait is for the other one" between $((left * 9 / 10)) $((left * 11 / 10 + 1)) \
        "$(rows preempt-delay $ONE $TWO)"
    is "a preemption is not a wake-up" \
        "$(rows wake-delay $ONE any) $(rows wake-delay $TWO any)" "0 0"
}

# The counter of off-cpu: public/schedlog.h has the meaning of the numbers.
PREEMPTED=0 BLOCKED=1 POLLING=2 YIELDED=3 PAUSED=5 CAPPED=6
OTHER=0 EVTCHN=1 TIMER=3

# off ACCT LEFT WOKE: prints how often it was off the pCPU, and for how many ms in all.
off()
{
    awk -v acct="$1" -v left="$2" -v woke="$3" '
        $2 == "off-cpu" && $3 == acct && int($5 / 268435456) == left &&
        int($5 / 8388608) % 8 == woke {
            rows++
            units += $5 % 8388608
        }
        END { print rows + 0, int(units * 512 / 1000000) }' log.rows
}

# share MS: prints MS as a percentage of MS and ONE's run time.
share()
{
    awk -v acct=$ONE -v ms="$1" '
        $2 == "service-ns" && $3 == acct { ns += $5 }
        END { print int(100 * ms / (ms + ns / 1000000 + 1)) }' log.rows
}

# logging_off NAME COMMAND...
logging_off()
{
    log_set_up 1048576
    log_guest "$1" $ONE
    shift
    logging off-cpu,service-ns "$@"
}

# Prints the uptime, in hundredths of a second, and the spinner's run time in ns.
spinner_times()
{
    awk '{ printf "%d ", $1 * 100 }' /proc/uptime
    domain-usage time "$(domid spinner)"
}

# measure_spinner SECONDS: sets idle, the percentage of the time in which it did not run.
measure_spinner()
{
    local since before now ran

    read -r since before <<END
$(spinner_times)
END
    sleep "$1"
    read -r now ran <<END
$(spinner_times)
END
    idle=$((100 - (ran - before) / (now - since) / 100000))
}

# as_long_as_it_did_not_run MS: the share of this time is what Xen's accounts of its run time leave.
as_long_as_it_did_not_run()
{
    note "off for $(share "$1") % of the time, $idle % by its run time"
    check "for the time in which it does not run" between $((idle - 8)) $((idle + 8)) "$(share "$1")"
}

pause_often()
{
    local n=0

    while [ $n -lt 5 ]; do
        xl pause spinner
        usleep 20000
        xl unpause spinner
        usleep 20000
        n=$((n + 1))
    done
}

# Each cause occurs, and hardly any other.
why_off_cpu()
{
    local nr ms

    xl pause spinner
    logging_off sleeper in_guest sleeper "doze 50 2"
    read -r nr ms <<END
$(off $ONE $BLOCKED $TIMER)
END
    check "50 times a timer ended a sleep" between 50 100000 "$nr"
    check "the sleeps have 2 ms and more" between 100 100000 "$ms"
    check "notifications of dom0 began them" between 1 100000 \
        "$(awk -v acct=$ONE -v woke=$EVTCHN '
            $2 == "off-cpu" && $3 == acct && $4 == 0 &&
            int($5 / 8388608) % 8 == woke' log.rows | wc -l)"

    logging_off sleeper in_guest sleeper "sched-op poll 20"
    read -r nr ms <<END
$(off $ONE $POLLING $TIMER)
END
    check "20 polls end with the tick" between 18 22 "$nr"

    xl unpause spinner
    logging_off sleeper in_guest sleeper "sched-op yield 50"
    read -r nr ms <<END
$(off $ONE $YIELDED $OTHER)
END
    check "50 times the vCPU yielded" between 48 50 "$nr"

    logging_off spinner pause_often
    read -r nr ms <<END
$(off $ONE $PAUSED $OTHER)
END
    check "5 times it was paused" between 4 5 "$nr"
    check "for 20 ms and more" between 80 100000 "$ms"

    xl sched-credit2 -d spinner -c 30
    logging_off spinner measure_spinner 5
    xl sched-credit2 -d spinner -c 0
    read -r nr ms <<END
$(off $ONE $CAPPED $OTHER)
END
    check "a cap takes the pCPU away" between 100 5000 "$nr"
    as_long_as_it_did_not_run "$ms"

    xl unpause rival
    logging_off spinner measure_spinner 2
    xl pause rival
    read -r nr ms <<END
$(off $ONE $PREEMPTED $OTHER)
END
    check "another vCPU preempts it" between 4 100000 "$nr"
    as_long_as_it_did_not_run "$ms"
}

# The first pause makes Xen update where the spinner is.
move_about()
{
    local n=0

    xl pause spinner
    xl unpause spinner
    while [ $n -lt 5 ]; do
        xl vcpu-pin spinner all 2
        xl vcpu-pin spinner all 3
        n=$((n + 1))
    done
}

migrate()
{
    local there=$((3 << 16 | 2)) back=$((2 << 16 | 3)) wanted='' n=0

    log_set_up 1048576
    log_guest spinner $ONE
    logging migrate move_about
    while [ $n -lt 5 ]; do
        wanted="$wanted$there $back "
        n=$((n + 1))
    done
    is "10 moves between pCPUs 3 and 2" "$(counters migrate)" "$wanted"
    xl pause spinner
}

# says COMMAND: prints the sleeper's output.
says()
{
    in_guest sleeper "$1"
    guest output sleeper | grep -v '^done' | tail -n 1
}

# The caller needs the output.
say()
{
    said=$(says "$1")
}

# mark THRESHOLD FIRST N
mark()
{
    log_set_up 1048576
    log_guest sleeper $ONE
    schedlog-area route $ONE mark 0 "$1"
    logging mark say "mark $2 $3"
}

marks()
{
    local domid

    domid=$(domid sleeper)
    mark 0 1 5
    is "a guest may not mark" "$said" "EPERM 0"
    is "and there is no row" "$(wc -l <log.rows)" 0

    schedlog-area mark "$domid" 1
    mark 0 1000 50
    is "a guest that is allowed to marks 50 times" "$said" "ok 50"
    is "with its codes, in order" "$(counters mark)" \
        "$(seq 1000 1049 | tr '\n' ' ')"
    is "charged to the guest" "$(rows mark $ONE none)" 50
    mark 10 1 1000
    is "a threshold of 10 leaves a tenth of 1000" "$(rows mark $ONE none)" 100

    schedlog-area mark "$domid" 0
    mark 0 1 5
    is "after that it may not mark again" "$said $(wc -l <log.rows)" "EPERM 0 0"
}

# balloon MIB: returns when the guest has about this much memory.
balloon()
{
    if on_arm64; then
        # "xl mem-set" aborts there: libxl has no default for ACPI in the stored configuration.
        xenstore-write "/local/domain/$(domid sleeper)/memory/target" $(($1 * 1024))
    else
        xl mem-set sleeper "$1"
    fi
    until between $(($1 * 256 - 300)) $(($1 * 256 + 300)) \
              "$(domain-usage pages "$(domid sleeper)")" >/dev/null; do
        usleep 100000
    done
}

# Paused until the last row has been logged.
shrink_and_grow()
{
    local mib

    mib=$(($(domain-usage pages "$(domid sleeper)") / 256))
    balloon $((mib - 28)) && balloon $((mib - 12))
    xl pause sleeper
    pages=$(domain-usage pages "$(domid sleeper)")
}

destroy()
{
    local domid

    domid=$(domid sleeper)
    guest stop sleeper
    while domain-usage pages "$domid" >/dev/null 2>&1; do
        usleep 100000
    done
}

memory()
{
    local last

    log_set_up 4194304
    log_guest sleeper $ONE
    logging memory shrink_and_grow
    xl unpause sleeper
    counters memory | tr ' ' '\n' | awk '
        NR > 1 && $1 != "" { if ($1 < last) less++; if ($1 > last) more++ }
        { last = $1 }
        END { print less + 0, more + 0 }' >changes
    note "$(cut -d' ' -f1 changes) times less, $(cut -d' ' -f2 changes) more"
    check "a guest's memory becomes less and more" awk \
        '{ exit !($1 > 0 && $2 > 0) }' changes
    is "the last row has Xen's number" \
        "$(counters memory | awk '{ print $NF }')" "$pages"

    log_set_up 4194304
    log_guest sleeper $ONE
    logging memory destroy
    last=$(counters memory | awk '{ print $NF }')
    is "a domain that has ended has no memory" "$last" 0
}

# No emulated machine has performance counters that Xen can use.
pmcs()
{
    if [ "$(log_info nr_pmcs)" != 0 ]; then
        skip "no performance counters" "there are some"
        return
    fi
    is "missing performance counters are refused" \
        "$(schedlog-area pmc 0x100c0)" "pmc: ENODEV"
    is "cannot be logged" "$(schedlog-area events pmc0)" "events: EOPNOTSUPP"
    xensched check >checked
    check "and an error tells the operator" \
        grep "performance counters: none usable" checked
}

quiet()
{
    log_set_up 1048576
    log_guest sleeper $ONE
    log_guest spinner $TWO
    schedlog-area route 0 all 0
    schedlog-area route 1 all 0
    xl unpause spinner
    schedlog-area mark "$(domid sleeper)" 1
    schedlog-area events $1
    in_guest sleeper "doze 20 2; mark 1 5"
    schedlog-area events
    schedlog-area rows 0 >log.rows
    wc -l <log.rows >before
    is "while events are on, marks are logged" "$(rows mark $ONE none)" 5
    check "and many other events" test "$(cat before)" -gt 50
    in_guest sleeper "doze 20 2; mark 1 5"
    schedlog-area rows 0 | wc -l >after
    xl pause spinner
    is "when events are off nothing is logged" "$(cat after)" "$(cat before)"
    schedlog-area mark "$(domid sleeper)" 0
}

set_up_guests
wake_delay
preemption
why_off_cpu
migrate
marks
# log-grants.sh tests grants.
quiet "service-ns service-tsc evtchn-send evtchn-recv memory runq wake-delay \
    migrate mark off-cpu"
memory
log_set_up 4096
pmcs
schedlog-area release
finish
