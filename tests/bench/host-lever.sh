#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares the ways to keep a guest at a place (levers): soft affinity, soft affinity
# after a short hard one, hard affinity, and soft affinity with credit2_soft_weight=50.
# The script sets them (xl vcpu-pin, xenhypfs); the daemon only logs.  "none" is Xen's
# scheduler alone.
#
# dom0 is held on socket 0 and serves the disk of the guest that should be there; another
# guest computes, a third one is idle.  Each lever starts with the guest on the other
# socket and all affinities "all"; every boot has another order.  The script reads where
# the guest ran from the log, never from a setting.
#
#   room      2 sockets x 4 cores, credit2; BOOTS (10) boots
#   overload  as "room"; seven guests have levers to socket 0, six never sleep;
#             also with credit2_soft_weight=25 and 100
#   tight     2 sockets x 2 cores, so dom0 alone may use most of the place
#   credit    as "room", with Xen's scheduler credit
#   null      as "room", with the scheduler null
#   exact     as "room", in exact mode
#
# HOSTS selects hosts; those without a number here are booted MORE (3) times.  All but
# "exact" run in fast mode: a second there is a second of this machine, which also does
# other work, and no pCPU is as fast as a real one.  So compare shares and levers; rates
# are not portable.
#
# Writes build/bench/lever.json after each boot.  With CASES=FILE it continues a run that
# used the same file.

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
