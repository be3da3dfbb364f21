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

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly folder=${BOX_TESTS:-$here/t}
readonly default_host="--sockets 2 --cores 2 --numa"

# Boot, and what the slowest machine needs on top of the tests' own limits.
readonly boot_seconds=240

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
    local options=$1 script longest=0 seconds test code=0

    shift
    for test in "$@"; do
        seconds=$(time_of "$test")
        ((seconds <= longest)) || longest=$seconds
    done
    script=$(mktemp -d)/start
    dom0_script >"$script"
    # shellcheck disable=SC2086 # they are separate words
    "$here/box" $options --timeout "$(($(time_of "$@") + boot_seconds))" \
        --silence "$((longest + boot_seconds))" "$script" "$@" || code=$?
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

run_all()
{
    local options tests=() test

    for test in "$@"; do
        host_of "$test"
    done | sort -u | while read -r options; do
        tests=()
        for test in "$@"; do
            [[ $(host_of "$test") == "$options" ]] && tests+=("$test")
        done
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
run_all "${selected[@]}" | number
