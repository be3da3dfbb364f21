# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Carries out plans of "xensched runs" for benchmarks in dom0.

# do_plan FILE: writes $RESULTS/runs.sqlite, even if only a part of the plan was done.
# (The share cannot have a database that is being written.)
do_plan()
{
    local code=0

    chmod +x ./*-dom0.sh
    xensched runs --database /tmp/runs.sqlite "do" "$1" || code=$?
    cp /tmp/runs.sqlite "$RESULTS"
    return $code
}
