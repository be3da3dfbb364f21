#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the host tests (t/*.sh) with as few boots as possible and writes TAP.
#
#   run-tests.sh [NAME...]     all, or those of these names
#
# BOX_TESTS=FOLDER   where they are, if not in t/
#
# A test says which host it needs in a line "# box: OPTIONS", with options of
# the box; all tests with the same line share one boot.  A test without such a
# line gets the host below.  "# box: none" runs here and not in a host: these
# are the tests of the box itself.
#
# Hosts that are emulated by one thread run beside each other, as many as this
# machine has CPUs: what one of them writes comes when it has ended, and which
# test it is at goes to stderr.  The others need the machine for themselves.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly folder=${BOX_TESTS:-$here/t}
readonly default_host="--sockets 2 --cores 2 --numa"

# Boot, and what the slowest machine needs on top of the tests' own limits.
readonly boot_seconds=240

# In exact mode limits in dom0 are instructions, of which a slow machine does
# less per second.
readonly exact_factor=3

# By which the box tells that it was the emulator that failed.
readonly clock_failed=72

# host_of TEST: the options it asks for.
host_of()
{
    local options

    options=$(sed -n 's/^# box: *//p' "$1")
    printf '%s\n' "${options:-$default_host}"
}

# time_of TEST...: the sum of their limits; see run-tests of dom0.
time_of()
{
    local test seconds sum=0

    for test in "$@"; do
        seconds=$(sed -n 's/^# time: \([0-9]*\)$/\1/p' "$test")
        sum=$((sum + ${seconds:-120}))
    done
    printf '%s\n' "$sum"
}

# The script which the box runs: it only starts the one that dom0 has.
dom0_script()
{
    printf '%s\n' '#!/bin/sh' 'mkdir t && mv ./*.sh t && cd t || exit 99' \
        'exec /usr/lib/box/run-tests'
}

# run_here TEST: on this machine.
run_here()
{
    local name

    name=$(basename "$1" .sh)
    "$1" | sed -u "s/^\(not \)\{0,1\}ok -/& $name:/" ||
        printf 'not ok - %s: it did not end well\n' "$name"
}

# boot OPTIONS TEST...: one boot; its exit code.
boot()
{
    local options=$1 script longest=0 seconds test factor=1 code=0

    shift
    for test in "$@"; do
        seconds=$(time_of "$test")
        ((seconds <= longest)) || longest=$seconds
    done
    [[ $options != *"--mode exact"* ]] || factor=$exact_factor
    script=$(mktemp -d)/start
    dom0_script >"$script"
    # shellcheck disable=SC2086 # they are separate words
    "$here/box" $options --timeout "$((factor * $(time_of "$@") + boot_seconds))" \
        --silence "$((factor * longest + boot_seconds))" "$script" "$@" || code=$?
    rm -r "$(dirname "$script")"
    return "$code"
}

# not_ended FILE TEST...: of these, which run in the order of their names, the
# one of which FILE has the last result, and all after it.
not_ended()
{
    local last test

    last=$(sed -n 's/^\(not \)\{0,1\}ok - \([^:]*\):.*/\2/p' "$1" | tail -n 1)
    shift
    for test in "$@"; do
        [[ $(basename "$test" .sh) < $last ]] || printf '%s\n' "$test"
    done | sort
}

# run_group OPTIONS TEST...: one boot; another if the emulator failed.
run_group()
{
    local options=$1 said code=0 tests test

    shift
    if [[ $options == none ]]; then
        for test in "$@"; do
            run_here "$test"
        done
        return
    fi
    printf '# host: box %s\n' "$options"
    said=$(mktemp)
    boot "$options" "$@" | tee "$said" || code=$?
    if [[ $code -eq $clock_failed ]]; then
        mapfile -t tests < <(not_ended "$said" "$@")
        printf '# the emulator lost its clock, so once more:%s\n' \
            "$(printf ' %s' "${tests[@]##*/}")"
        code=0
        boot "$options" "${tests[@]}" || code=$?
    fi
    rm "$said"
    # 1: a test failed, and said so.
    [[ $code -le 1 ]] ||
        printf 'not ok - box %s: exit code %d\n' "$options" "$code"
}

# Which test results are of, on stderr.
tell_where()
{
    local line last=

    while IFS= read -r line; do
        [[ $line =~ ^(not\ )?ok\ -\ ([^:]*): ]] || continue
        [[ ${BASH_REMATCH[2]} == "$last" ]] ||
            printf '# at %s\n' "${BASH_REMATCH[2]}" >&2
        last=${BASH_REMATCH[2]}
    done
}

# run_beside OPTIONS TEST...: a group whose output is kept until it has ended.
run_beside()
{
    local said

    said=$(mktemp)
    printf '# beside others: box %s\n' "$1" >&2
    run_group "$@" | tee "$said" | tell_where
    {
        flock 9
        cat "$said"
    } 9<"${BASH_SOURCE[0]}"
    rm "$said"
}

# Sets tests: those of these that want a host with these options.
select_tests()
{
    local options=$1 test

    shift
    tests=()
    for test in "$@"; do
        [[ $(host_of "$test") != "$options" ]] || tests+=("$test")
    done
}

# All hosts that tests ask for, who may need most time first.
hosts_of()
{
    local options tests test

    for test in "$@"; do
        host_of "$test"
    done | sort -u | while read -r options; do
        select_tests "$options" "$@"
        printf '%d %s\n' "$(time_of "${tests[@]}")" "$options"
    done | sort -k 1,1nr | cut -d ' ' -f 2-
}

one_thread()
{
    [[ $1 == *"--mode exact"* || $1 == *--one-thread* ]]
}

# Each job is a process group, so that it can be ended with all that it started.
end_jobs()
{
    local job

    for job in $(jobs -p); do
        kill -TERM -- "-$job" 2>/dev/null || :
    done
    wait || :
}

run_all()
{
    local hosts options tests free

    mapfile -t hosts < <(hosts_of "$@")
    free=$(nproc)
    set -m
    trap end_jobs EXIT
    for options in "${hosts[@]}"; do
        one_thread "$options" || continue
        select_tests "$options" "$@"
        if ((free > 0)); then
            free=$((free - 1))
        else
            wait -n || :
        fi
        run_beside "$options" "${tests[@]}" </dev/null &
    done
    wait
    set +m
    for options in "${hosts[@]}"; do
        ! one_thread "$options" || continue
        select_tests "$options" "$@"
        run_group "$options" "${tests[@]}" </dev/null
    done
}

# Numbers the results of all and adds the plan.  (Not awk: Debian's reads its
# input in large pieces, and a person wants to see how it goes on.)
number()
{
    local line n=0 failed=0

    while IFS= read -r line; do
        [[ $line == 1..* ]] && continue
        if [[ $line =~ ^(ok|not\ ok)(\ [0-9]+)?(.*)$ ]]; then
            n=$((n + 1))
            [[ ${BASH_REMATCH[1]} == ok ]] || failed=1
            line="${BASH_REMATCH[1]} $n${BASH_REMATCH[3]}"
        fi
        printf '%s\n' "$line"
    done
    printf '1..%d\n' "$n"
    [[ $failed -eq 0 && $n -gt 0 ]]
}

selected=()
for name in "${@:-*}"; do
    # shellcheck disable=SC2206 # a pattern
    selected+=("$folder"/$name.sh)
done
set -m
trap end_jobs EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
run_all "${selected[@]}" </dev/null | number &
wait $!
