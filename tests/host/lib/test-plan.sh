# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Reads the declarations at the top of each test, which no other file reads, and sorts tests.
# Starts nothing.
#
#   # box: OPTIONS    the host that it needs, in options of the box; "none" is a
#                     test of the box itself, which runs on this machine; with "no"
#                     the test does not run on x86
#   # arm64: OPTIONS  the same on a host for arm64 (XEN_ARCH=arm64); without this line
#                     the test does not run there
#   # time: SECONDS   its limit (120)
#   # only: full      it runs in make test-full, or when it is named
#
# Needs BOX_ARCH, and BOX_HOST, below which durations of tests are kept (paths.sh).

readonly test_default_host="--sockets 2 --cores 2 --numa"

# An emulated arm64 starts guests slowly (README.md).
[[ $BOX_ARCH == x86_64 ]] && test_slower=1 || test_slower=5
readonly test_slower

test_name() { basename "$1" .sh; }

# test_options TEST
test_options()
{
    local options word=box

    [[ $BOX_ARCH == x86_64 ]] || word=$BOX_ARCH
    options=$(sed -n "s/^# $word: *//p" "$1" | head -n 1)
    printf '%s\n' "${options:-$test_default_host}"
}

# test_applies TEST: to the architecture of the hosts.
test_applies()
{
    case $BOX_ARCH in
    x86_64) ! grep -q '^# box: no$' "$1" ;;
    *)      grep -q "^# $BOX_ARCH: " "$1" ;;
    esac
}

# test_limit TEST: in seconds of dom0's clock.  BOX_SLOWER: the factor by which it is longer, for a
# host whose programs do more than they usually do.
test_limit()
{
    local seconds

    seconds=$(sed -n 's/^# time: \([0-9]*\)$/\1/p' "$1")
    printf '%s\n' "$((${seconds:-120} * ${BOX_SLOWER:-$test_slower}))"
}

test_only_full() { grep -q '^# only: full$' "$1"; }

# The number of hosts that run beside each other: one per CPU, and per 3 GiB of memory, which QEMU
# needs for one.
test_slots()
{
    awk -v cpus="$(nproc)" '
        /^MemAvailable:/ { fit = int($2 / 3145728) }
        END { if (fit > cpus) fit = cpus; print (fit > 1 ? fit : 1) }' /proc/meminfo
}

# test_needs_all TEST: whether nothing else may run meanwhile
test_needs_all() { [[ $(test_options "$1") == *--parallel* ]]; }

# test_is_exact TEST: whether it counts instructions as time
test_is_exact() { [[ $(test_options "$1") == *"--mode exact"* ]]; }

# test_expected TEST: prints its latest duration in seconds, or half of its limit.
test_expected()
{
    cat "$BOX_HOST/times/$(test_name "$1")" 2>/dev/null ||
        echo $(($(test_limit "$1") / 2))
}

# test_remember TEST SECONDS
test_remember()
{
    mkdir -p "$BOX_HOST/times"
    printf '%s\n' "$2" >"$BOX_HOST/times/$(test_name "$1")"
}

# test_order TEST...: prints those that need the whole machine, then the longest first, so that no
# CPU is idle while a test waits.
test_order()
{
    local test

    for test in "$@"; do
        test_needs_all "$test" && printf '1 ' || printf '0 '
        printf '%d %s\n' "$(test_expected "$test")" "$test"
    done | sort -k 1,1nr -k 2,2nr -k 3 | cut -d ' ' -f 3-
}

# test_plan TEST...: prints a table for people.
test_plan()
{
    local test

    printf '%-20s %8s  %s\n' TEST EXPECTED HOST
    while IFS= read -r test; do
        printf '%-20s %6d s  %s\n' "$(test_name "$test")" \
            "$(test_expected "$test")" "$(test_options "$test")"
    done < <(test_order "$@")
}
