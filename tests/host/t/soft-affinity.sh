#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --sockets 2 --cores 2 --xen-append credit2_soft_weight=50 --xen-append credit2_load_window_shift=27
# only: full
# time: 400
#
# The value of a soft affinity for credit2's load balancing.  With a credit2_soft_weight of 50, a
# vCPU stays where it prefers to be although the other socket is idle, until 1.5 vCPUs per pCPU want
# to run there.  Then some leave, and none starves.  With 0, none stays.  Fails if the preference
# has no effect, or the effect of a hard affinity.
#
# The preferred place is socket 0, pCPUs 0 and 1; dom0 is bound to the other one.  Guests are either
# paused or never sleep, so the load is their number.  credit2 averages over 134 ms (2^27 ns)
# instead of 1 s, so averages soon follow.  dom0 is a load, too, so a guest may be away for a tenth
# of a second.  A guest that stays is there for the rest of the time; a guest that does not stay is
# away.

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

guests="one two three four"

# acct GUEST|all: prints its accounting domain; "all" has none.
acct()
{
    case $1 in
    one)   echo 2 ;;
    two)   echo 3 ;;
    three) echo 4 ;;
    four)  echo 5 ;;
    esac
}

# weight [PERCENT]: sets and prints the weight.
weight()
{
    [ $# = 0 ] || xenhypfs write /cpupool/0/credit2-soft-weight "$1"
    xenhypfs cat /cpupool/0/credit2-soft-weight
}

# wish GUEST...: sets their soft affinity.  Xen moves them there, whatever runs there.  Xen only
# tries to lock the place's queue, so this sets the affinity more than once.
wish()
{
    local guest

    for guest in "$@" "$@"; do
        xl vcpu-pin "$guest" all - 0-1
    done
}

# watch GUEST...: records for half a second where they run, when averages are up to date.
watch()
{
    local guest

    log_set_up 1048576
    for guest in $guests; do
        log_guest "$guest" "$(acct "$guest")"
    done
    for guest; do
        xl unpause "$guest"
    done
    usleep 600000
    schedlog-area events service-ns
    usleep 500000
    schedlog-area events
    for guest; do
        xl pause "$guest"
    done
    schedlog-area rows 0 >log.rows
    for guest; do
        note "$guest: $(seconds "$guest") s, $(seconds "$guest" 0-1) s at the place"
    done
}

# seconds GUEST|all [FIRST-LAST]: prints how long it ran, on these pCPUs.
seconds()
{
    awk -v acct="$(acct "$1")" -v pcpus="${2:-0-99}" '
        BEGIN { split(pcpus, range, "-") }
        $2 == "service-ns" && $3 >= 2 && $3 <= 5 && (acct == "" || $3 == acct) &&
        $1 >= range[1] + 0 && $1 <= range[2] + 0 { ns += $5 }
        END { printf "%.3f\n", ns / 1e9 }' log.rows
}

# at_place GUEST|all: prints the part of the time.
at_place()
{
    awk -v all="$(seconds "$1")" -v there="$(seconds "$1" 0-1)" \
        'BEGIN { print (all > 0 ? there / all : "nothing") }'
}

# least: prints the least time of a guest as a part of the greatest.
least()
{
    for guest in $guests; do
        seconds "$guest"
    done | sort -n | awk '{ time[NR] = $1 }
        END { print (time[NR] > 0 ? time[1] / time[NR] : "nothing") }'
}

# A cpupool starts with the weight of the command line, whatever cpupool 0 has.
second_pool()
{
    local other=/cpupool/1/credit2-soft-weight

    xl cpupool-create name='"second"' sched='"credit2"' >/dev/null
    is "another cpupool has the weight of the command line" "$(xenhypfs cat $other)" 50
    xenhypfs write $other 20
    is "and then a weight of its own" "$(xenhypfs cat $other) $(weight)" "20 0"
    xl cpupool-destroy second
}

start_one()
{
    guest start computing name="$1" && xl pause "$1"
}

is "the weight is that of Xen's command line" "$(weight)" 50
xl vcpu-pin Domain-0 all 2-3
start_one one && start_one two && start_one three && start_one four
is "four guests are there" "$?" 0

# Two guests, one of which is bound there: a pCPU is free, but the other socket is idle.
xl vcpu-pin one all 0-1 -
wish two
watch one two
check "a soft affinity holds while a pCPU is free" \
    between 0.8 1 "$(at_place two)"
is "no weight" "$(weight 0)" 0
second_pool
wish two
watch one two
check "without weight, the guest moves to the other socket, which has less load" \
    between 0 0.2 "$(at_place two)"

# Two guests may use one pCPU of the place and an idle pCPU of the other socket.  They may not use
# the other pCPU of the place, which is idle, too.
is "weight" "$(weight 50)" 50
xl vcpu-pin one all 0,2 0
xl vcpu-pin two all 0,2 0
watch one two
check "one of two guests on one pCPU leaves for the idle pCPU" \
    between 0.3 0.7 "$(at_place all)"

# Four guests on two pCPUs, which is more than one and a half each.
xl vcpu-pin one all all -
xl vcpu-pin two all all -
# shellcheck disable=SC2086 # several words
wish $guests
# shellcheck disable=SC2086
watch $guests
check "guests leave a crowded place until it is not crowded" \
    between 0.55 0.8 "$(at_place all)"
check "no guest starves" between 0.5 1 "$(least)"

# With the greatest value of the parameter no guest ever leaves.
great_weight()
{
    is "the greatest weight" "$(weight 4294967295)" 4294967295
    # shellcheck disable=SC2086
    wish $guests
    # shellcheck disable=SC2086
    watch $guests
    check "the soft affinity has the effect of a hard one" between 0.95 1 "$(at_place all)"
    check "no guest starves then either" between 0.6 1 "$(least)"
}

! full || great_weight
schedlog-area release
finish
