# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests of recordings: reads "xensched timeline --json" in /run/timeline.json, and xenalyze's
# summary of xentrace's records of the same time in /run/analyzed.

# number KEY [GUEST]: prints the total, or this guest's number.
number()
{
    tr -d ' \n' </run/timeline.json |
        if [ -n "${2-}" ]; then
            sed "s/\"threads\":.*//; s/.*\"domain\":\"$2\",\([^}]*\)}.*/\1/"
        else
            cat
        fi | tr ',{}' '\n\n\n' | sed -n "s/^\"$1\"://p" | head -n 1
}

# numbers KEY GUEST: prints the sum over the guest's vCPUs.
numbers()
{
    tr -d ' \n' </run/timeline.json | sed 's/"threads":.*//' | tr '{' '\n' |
        grep "^\"domain\":\"$2\"," | tr ',}' '\n\n' |
        awk -F: -v key="\"$1\"" '$1 == key { sum += $2 } END { printf "%.0f\n", sum }'
}

# analyzed GUEST STATE: prints how often its vCPUs were in the state, and for how many ticks of the
# counter, by xenalyze's counts and means.
analyzed()
{
    awk -v domain="|-- Domain $(domid "$1") --|" -v state="$2:" '
        /^[|]-- Domain/ { it = $0 == domain }
        it && $1 == state { times += $2; ticks += $2 * $4 }
        END { printf "%.0f %.0f\n", times, ticks }' /run/analyzed
}

analyzed_times()
{
    analyzed "$1" "$2" | cut -d ' ' -f 1
}

# analyzed_ns GUEST STATE: prints the time of its vCPUs together.
analyzed_ns()
{
    analyzed "$1" "$2" | awk -v khz="$(schedlog-area info | sed -n 's/^tsc_khz //p')" '
        { printf "%.0f\n", $2 * 1e6 / khz }'
}
