# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Writing TAP from a shell test: source this, print the plan, call check.

TAP_N=0

# check WHAT COMMAND...: one test; the command's output is its diagnosis.
check()
{
    local what=$1 out

    TAP_N=$((TAP_N + 1))
    shift
    if out=$("$@" 2>&1); then
        echo "ok $TAP_N - $what"
    else
        echo "not ok $TAP_N - $what"
        head -n 30 <<< "$out" | sed 's/^/# /'
    fi
}

# skip WHAT WHY: one test that cannot run here.
skip()
{
    TAP_N=$((TAP_N + 1))
    echo "ok $TAP_N - $1 # SKIP $2"
}
