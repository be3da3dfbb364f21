# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Sets levers for benchmarks in dom0: the ways to keep guests with one vCPU at a place.
#
#   none      nothing
#   soft      soft affinity
#   nudgeW    soft affinity after half a second of hard affinity, and with
#             credit2_soft_weight=W; "nudge" alone has W = 0
#   hard      hard affinity
#   weightW   soft affinity, with credit2_soft_weight=W

weight=/cpupool/0/credit2-soft-weight

has_weight=$(xenhypfs cat $weight 2>/dev/null || :)

# set_weight PERCENT: none is 0
set_weight()
{
    [ -z "$has_weight" ] || xenhypfs write $weight "${1:-0}"
}

# for_each "GUEST..." COMMAND...: runs the command for each guest, all in parallel
for_each()
{
    local guests="$1" guest jobs='' job

    shift
    for guest in $guests; do
        "$@" "$guest" &
        jobs="$jobs $!"
    done
    for job in $jobs; do
        wait "$job"
    done
}

# pin_one HARD SOFT GUEST
pin_one()
{
    xl vcpu-pin "$3" 0 "$1" "$2"
}

# pin "GUEST..." HARD SOFT
pin()
{
    for_each "$1" pin_one "$2" "$3"
}

# pull LEVER PLACE "GUEST..."
pull()
{
    case $1 in
    none)    ;;
    soft)    pin "$3" all "$2" ;;
    nudge*)  set_weight "${1#nudge}"
             pin "$3" "$2" "$2"
             usleep 500000
             pin "$3" all "$2" ;;
    hard)    pin "$3" "$2" all ;;
    weight*) set_weight "${1#weight}"
             pin "$3" all "$2" ;;
    *)       echo "no lever is called $1" >&2; return 1 ;;
    esac
}
