# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For benchmarks in dom0 that are plans of "xensched runs".

# do_plan FILE: $RESULTS/runs.sqlite is what came of it, or of what was done of it.
# (The share cannot have a database that is being written.)
do_plan()
{
    local code=0

    chmod +x ./*-dom0.sh
    xensched runs --database /tmp/runs.sqlite "do" "$1" || code=$?
    cp /tmp/runs.sqlite "$RESULTS"
    return $code
}
