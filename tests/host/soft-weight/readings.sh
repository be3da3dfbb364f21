#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of soft-weight.sh that runs in dom0: the commands of the cover letter of soft-affinity.
# Prints a line for each weight: its name, then how many of 20 readings found "two" on pCPUs 0-1,
# 2-3 and 4-5.

# row NAME: setting the affinity again takes "two" back to the pCPUs that it prefers.
row()
{
    xl vcpu-pin Domain-0 all 4-5
    xl vcpu-pin one 0 0-1 all
    xl vcpu-pin two 0 all 0-1
    sleep 3
    for _ in $(seq 20); do sleep 1; xl vcpu-list two; done |
        awk -v name="$1" '$1 == "two" { n[int($4 / 2)]++ }
            END { print name, n[0] + 0, n[1] + 0, n[2] + 0 }'
}

set -e
guest start computing name=one
guest start computing name=two
if ! xenhypfs cat /cpupool/0/credit2-soft-weight >/dev/null 2>&1; then
    row unpatched
else
    row 0
    xenhypfs write /cpupool/0/credit2-soft-weight 50
    row 50
    xenhypfs write /cpupool/0/credit2-soft-weight 0
    row 0-again
fi | tee -a "$RESULTS/rows"
