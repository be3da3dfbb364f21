# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Reads the machine model's counts (box --machine) in dom0 while the host runs.  "region" and
# "chase" mark regions.

# counted REGION PCPU COUNT: prints a count of the region's latest marks
counted()
{
    grep "\"region\": $1, .*\"pcpu\": $2, " "$RESULTS/machine.jsonl" | tail -n 1 |
        sed "s/.*\"$3\": \([0-9]*\).*/\1/"
}

# machine_says KEY: prints a number of its description
machine_says()
{
    head -n 1 "$RESULTS/machine.jsonl" | sed "s/.*\"$1\": \([0-9.e+]*\).*/\1/"
}
