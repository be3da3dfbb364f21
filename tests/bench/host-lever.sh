#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What can be done to have a guest run at a place, and what comes of it: soft
# affinity, the same after a short hard one, hard affinity, and soft affinity
# with credit2_soft_weight=50; by hand (xl vcpu-pin, xenhypfs), with no daemon
# that would have its own ideas.  "none" is Xen's scheduler alone.
#
# dom0 is held on socket 0 and serves the disk of a guest that is to be there,
# too; another guest computes, a third one is idle.  Each lever begins with the
# guest on the other socket and all affinities "all"; their order is another one
# in each boot.  Where the guest ran is read from the log, never from a setting.
#
#   room      2 sockets x 4 cores, credit2; BOOTS (10) boots
#   overload  the same; seven guests wish for socket 0, six of them never sleep;
#             also with credit2_soft_weight=25 and 100
#   tight     2 sockets x 2 cores, where dom0 alone may take most of the place
#   credit    as "room", with Xen's scheduler credit
#   null      the same, with the scheduler null
#   exact     as "room", in exact mode
#
# HOSTS says which of them; those without a number here are booted MORE (3) times.
# All but "exact" run in fast mode: a second there is one of this machine, with
# all that it has to do beside, and no pCPU is as fast as a real one.  So shares
# are what to look at, and which lever does what; rates are not portable.
#
# Writes build/bench/lever.json again after each boot.  With CASES=FILE it goes on
# where a run with the same file was ended.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/host/lib.sh
. "$here/host/lib.sh"

boots=${BOOTS:-10}
more=${MORE:-3}
cases=${CASES:-$results/cases}
read -ra hosts <<<"${HOSTS:-room overload tight credit null exact}"

# host_of NAME: options of the box, as lines
host_of()
{
    printf '%s\n' --sockets 2 --memory 2560 --timeout 900
    case $1 in
    room|overload)
                 printf '%s\n' --cores 4 ;;
    tight)       printf '%s\n' --cores 2 ;;
    credit|null) printf '%s\n' --cores 4 --xen-append "sched=$1" ;;
    exact)       printf '%s\n' --cores 4 --mode exact --timeout 3000 ;;
    *)           die "$BOX_EXIT_USAGE" "no host is called $1" ;;
    esac
}

# measured HOST NUMBER: by a run before
measured()
{
    grep -qs "^{\"host\": \"$1\", \"boot\": $2," "$cases"
}

# boot HOST NUMBER
boot()
{
    local options rows

    mapfile -t options < <(host_of "$1")
    rm -rf "${results:?}/boot"
    mkdir "$results/boot"
    "$here/host/lever.py" plan "$1" "$2" >"$results/plan"
    "$top/tests/host/box" --results "$results/boot" "${options[@]}" \
        "$here"/host/{{lever,daemon}-dom0,levers}.sh "$results/plan" >&2
    for rows in "$results"/boot/*.rows; do
        bench_dump "$rows"
    done
    "$here/host/lever.py" cases "$results/boot" "$1" "$2" >>"$cases"
    "$here/host/lever.py" report "$cases" "$out/lever.json" \
        "$("$here/machine.sh" "${CC:-gcc}")" >"$out/lever.txt"
}

for host in "${hosts[@]}"; do
    case $host in
    room)  count=$boots ;;
    *)     count=$more ;;
    esac
    for ((number = 1; number <= count; number++)); do
        echo "bench: $host, boot $number of $count" >&2
        measured "$host" "$number" || boot "$host" "$number"
    done
done
cat "$out/lever.txt"
