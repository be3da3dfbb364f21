# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What the machine model has counted (box --machine), read in dom0 while the
# host runs.  Regions are marked by "region", "chase".

# counted REGION PCPU COUNT: the last time that this region was marked
counted()
{
    grep "\"region\": $1, .*\"pcpu\": $2, " "$RESULTS/machine.jsonl" | tail -n 1 |
        sed "s/.*\"$3\": \([0-9]*\).*/\1/"
}

# machine_says KEY: a number of its description
machine_says()
{
    head -n 1 "$RESULTS/machine.jsonl" | sed "s/.*\"$1\": \([0-9.e+]*\).*/\1/"
}
