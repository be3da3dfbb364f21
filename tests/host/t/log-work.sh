#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
#
# Xen's work for domains, compared with what is known without the log: a guest makes a known number
# of hypercalls, sleeps a known number of times, and spins for a known time; each wait for a flush
# interrupts another pCPU. Fails if work is missed, counted twice, or charged to another domain.
#
# time: 240

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

# public/schedlog.h and xen.h have the meaning of the numbers.
MMU_UPDATE=1 MULTICALL=13 SCHED_OP=29
FLUSH_IPI=3 SOFTIRQ_TIMER=16 SOFTIRQ_SCHEDULE=17

events=hypercall-time,irq-time,service-ns
# pCPUs of arm64 flush each other's TLBs without an interrupt.
on_arm64 || events=$events,flush-wait

# The next tick logs the last sums.  That of an idle pCPU comes every 0.5 s.
and_a_tick()
{
    "$@"
    usleep 600000
}

# logging_work DOMID COMMAND...: Xen's work for this domain is charged to ONE.
logging_work()
{
    log_set_up 1048576
    schedlog-area bind "$1" all $ONE , route $ONE all 0
    schedlog-area route 0 all 0 , route 1 all 0
    shift
    logging $events and_a_tick "$@"
}

# work EVENT ACCT REASON: sets times and us, the sums of all rows; "any" matches all.
work()
{
    read -r times us <<SUMS
$(awk -v event="$1" -v acct="$2" -v reason="$3" '
        $2 == event && (acct == "any" || $3 == acct) {
            if (reason != "any" && int($5 / 18014398509481984) != reason)
                next
            times += int($5 / 4294967296) % 4194304
            ns += $5 % 4294967296
        }
        END { print times + 0, int(ns / 1000) }' log.rows)
SUMS
}

yields()
{
    logging_work "$(domid sleeper)" in_guest sleeper "sched-op yield $1"
    work hypercall-time $ONE $SCHED_OP
}

start_all sleeper
guest start computing name=spinner

yields 100
few=$times
yields 1100
check "1000 more hypercalls are 1000 more in the rows" between 980 1100 $((times - few))
check "each takes some time, but not more than 1 ms" between 1 $((times * 1000)) "$us"
others=$(awk '$2 == "hypercall-time" && $3 == 1' log.rows | wc -l)
is "an idle vCPU makes none" "$others" 0
check "sums need few rows" between 1 500 "$(rows hypercall-time $ONE none)"
work hypercall-time $ONE $MULTICALL
calls=$times
work hypercall-time $ONE $MMU_UPDATE
note "$calls multicalls; $times updates of page tables, alone or in these"

logging_work "$(domid sleeper)" in_guest sleeper "doze 300 2"
work irq-time $ONE $SOFTIRQ_SCHEDULE
check "the scheduler was asked as often as the guest slept" between 300 5000 "$times"
stays=$(awk -v acct=$ONE '$2 == "service-ns" && $3 == acct && $4 != "none"' log.rows | wc -l)
check "softirqs of the scheduler are as many as its run intervals, or slightly more" \
    between "$stays" $((stays * 3 / 2 + 50)) "$times"

# The log's ticks are such softirqs: 100 per second.
logging_work "$(domid spinner)" sleep 1
work irq-time $ONE $SOFTIRQ_TIMER
check "a vCPU that spins is interrupted by timers" between 95 5000 "$times"
work irq-time $ONE any
share=$(awk -v acct=$ONE -v us="$us" '$2 == "service-ns" && $3 == acct { ns += $5 }
    END { print int(us * 100000000 / ns) }' log.rows)
note "interrupts and softirqs took $((share / 1000)).$((share % 1000)) % of its time"
check "they take a part of its time" between 1 50000 "$share"

# dom0's page tables and threads make Xen flush TLBs of its other vCPUs' pCPUs.
forks()
{
    local n=0

    (while :; do :; done) &
    while [ $n -lt 30 ]; do
        (ls / | wc -l) >/dev/null
        n=$((n + 1))
    done
    kill $!
}
flushes()
{
    logging_work 0 forks
    work flush-wait $ONE any
    waits=$times
    check "dom0 waited for flushes" between 10 1000000 "$waits"
    check "for some time" between 1 100000000 "$us"
    work irq-time any $FLUSH_IPI
    check "each interrupted another pCPU" between "$waits" $((waits * 3 + 10)) "$times"
}
if on_arm64; then
    skip "dom0 waited for flushes" "arm64 has no such waits"
else
    flushes
fi
schedlog-area release
finish
