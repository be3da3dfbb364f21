#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 3
# box: --mode exact --sockets 1 --cores 3 --dom0-vcpus 1
# time: 240
# only: full
#
# Guests of rtds want less than their budgets, as much, and more than there is: rows tell what was
# left of each budget, and which deadlines were missed.  A guest of arinc653 leaves its pCPU when
# its slot ends.  Fails if a deadline that was met counts as missed, or the reverse.
#
# As log-runq.sh, the test ends with a pCPU that cannot be returned from the pool of rtds.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/log.sh
. /usr/lib/box/pool.sh

CAPPED=6

# budget GUEST MS [EXTRA-TIME]: every 100 ms, without extra time unless EXTRA-TIME is 1
budget()
{
    xl sched-rtds -d "$1" -v all -p 100000 -b "$2"000 -e "${3:-0}"
}

# sample EVENTS COMMAND...: ONE and TWO are the accounting domains of spinner and rival or rt.
sample()
{
    log_set_up 1048576
    log_guest spinner $ONE
    log_guest "$other" $TWO
    logging "$@"
}

# periods ACCT: sets ends, missed and left_ms, the sum of what was left; least_us and most_us
periods()
{
    read -r ends missed left_ms least_us most_us <<SUMS
$(awk -v acct="$1" '
        $2 == "replenish" && $3 == acct {
            left = $5 % 2147483648 / 1000
            missed += $5 >= 2147483648
            sum += left
            least = !n || left < least ? left : least
            most = left > most ? left : most
            n++
        }
        END { printf "%d %d %d %d %d\n", n, missed, sum / 1000, least, most }' log.rows)
SUMS
    note "periods $ends, missed $missed; left $left_ms ms in all, $least_us to $most_us us"
}

# met ACCT: checks that periods without a missed deadline have nothing left; the first row ends a
# period that began before the event was on
met()
{
    awk -v acct="$1" '
        $2 == "replenish" && $3 == acct && n++ && $5 < 2147483648 && $5 > 1000000 {
            print
            bad = 1
        }
        END { exit bad }' log.rows
}

# why FILE GUEST: its waits and their causes, the longest first
why()
{
    xensched latency --worst 100 "$1" "$2" >"$1.worst" 2>&1
    head -n 20 "$1.worst" | sed 's/^/# /'
    grep -B 8 -m 1 "missed its deadline" "$1.worst" | sed 's/^/# /'
}

recorded()
{
    file=$1
    shift
    xensched record --seconds 60 "$file" 2>/run/said &
    recorder=$!
    sleep 1
    "$@"
    kill -INT $recorder
    wait $recorder || cat /run/said
}

xl vcpu-pin Domain-0 all 0
guest start obedient name=rt
# In icount mode all else takes longer while they compute.
for name in spinner rival; do
    guest start computing name=$name
    xl pause $name
done
xl cpupool-cpu-remove Pool-0 2
check "a pool of rtds is made" xl cpupool-create "name='real-time'" "sched='rtds'" "cpus=['2']"
to_pool spinner real-time
xl unpause spinner
other=rival

budget spinner 30
sample replenish,off-cpu sleep 2
periods $ONE
check "a guest that uses its budget up: one row per period" between 19 21 "$ends"
is "it misses no deadline" "$missed" 0
check "nothing is left" between 0 500 "$most_us"
capped=$(awk -v left=$CAPPED '
    $2 == "off-cpu" && $3 == 2 && int($5 / 268435456) == left { n++ } END { print n + 0 }' log.rows)
check "it leaves its pCPU because the budget is used up" between 19 21 "$capped"

budget spinner 30 1
sample replenish,service-ns sleep 2
periods $ONE
check "with extra time it has the pCPU all the time" between 1900 2100 "$(awk '
    $2 == "service-ns" && $3 == 2 { ns += $5 } END { print ns / 1000000 }' log.rows)"
is "what is left of extra time misses no deadline" "$missed" 0
check "nothing of the budget is left" between 0 500 "$most_us"

budget spinner 80
to_pool rival real-time
xl unpause rival
budget rival 80
sample replenish sleep 2
periods $ONE
all_missed=$missed all_left=$left_ms all_ends=$ends
check "of two that want 160 of 100 ms, the first one's other periods have nothing left" met $ONE
periods $TWO
check "nor have the second one's" met $TWO
check "each has one row per period" between 38 42 $((all_ends + ends))
check "60 of 100 ms are left" between 1100 1300 $((all_left + left_ms))
check "in each period one of them misses its deadline, or both do" \
    between 19 42 $((all_missed + missed))
to_pool rival Pool-0

# The guest sleeps for most of its period, and spinner leaves it enough.
xl pause rival
other=rt
budget spinner 30
to_pool rt real-time
budget rt 30
sample replenish in_guest rt "cyclic 20 100000 10000"
periods $TWO
check "a guest that sleeps: about one row per period" between 15 60 "$ends"
is "it misses no deadline although its budget is left" "$missed" 0
check "what it did not use is left" between 15000 30000 "$most_us"

schedlog-area release
# shellcheck disable=SC2034 # for start_daemon
daemon_settings=
start_daemon --mode observe \
    --log service-ns,wake-delay,preempt-delay,wait-part,migrate,off-cpu,replenish
is "the daemon starts" "$?" 0
recorded "$RESULTS/budget.rows" sleep 1
why "$RESULTS/budget.rows" spinner
check "a recording names the budget as the cause of a wait" \
    grep "^cause: its budget was used up" "$RESULTS/budget.rows.worst"
check "and when it got the next one" grep "^  it got its next budget at" "$RESULTS/budget.rows.worst"
check "it counts deadlines" grep -E "^spinner missed 0 of [0-9]+ deadlines" \
    "$RESULTS/budget.rows.worst"

budget spinner 90
budget rt 50
recorded "$RESULTS/missed.rows" in_guest rt "cyclic 20 100000 45000"
why "$RESULTS/missed.rows" spinner
check "a recording counts deadlines that a guest missed" \
    grep -E "^spinner missed [1-9][0-9]* of [0-9]+ deadlines" "$RESULTS/missed.rows.worst"
check "and shows them behind the waits" grep "^  it missed its deadline at .* of its budget left" \
    "$RESULTS/missed.rows.worst"
check "which have a cause" grep "^cause: rt had pCPU 2" "$RESULTS/missed.rows.worst"
stop_daemon TERM

other=rival
xl cpupool-cpu-remove Pool-0 1
check "a pool of arinc653 is made" \
    xl cpupool-create "name='slots'" "sched='arinc653'" "cpus=['1']"
pool=$(xenstore-ls /local/pool | awk '/^[0-9]+ / { id = $1 } /name = "slots"/ { print id }')
to_pool rival slots
xl unpause rival
check "a guest gets 10 of 50 ms" arinc653-slots "$pool" 50000 "$(domid rival):10000"
sample off-cpu sleep 2
check "when its slot ends, its budget is used up" between 38 42 "$(awk -v left=$CAPPED '
    $2 == "off-cpu" && $3 == 3 && int($5 / 268435456) == left { n++ } END { print n + 0 }' log.rows)"
check "until the next one it is off its pCPU for 40 ms" between 38 41 "$(awk '
    $2 == "off-cpu" && $3 == 3 { sum += $5 % 8388608 * 512 / 1000000; n++ }
    END { print sum / (n ? n : 1) }' log.rows)"
to_pool rival Pool-0
schedlog-area release
finish
