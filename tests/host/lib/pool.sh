# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Runs jobs beside each other, as many as there are slots.  Each is a process group, so that it can
# be ended with all of its processes.  It is not specific to tests.

declare -A pool_held=()     # slots of each job that runs, by its process
pool_free=0

# pool_begin SLOTS
pool_begin() { pool_free=$1; }

# Waits until any job ends.
pool_wait_one()
{
    local job

    wait -n -p job || :
    [[ -n ${job:-} ]] || return 0
    pool_free=$((pool_free + ${pool_held[$job]}))
    unset "pool_held[$job]"
}

# pool_run SLOTS COMMAND...: returns when it has started.
pool_run()
{
    local slots=$1

    shift
    while ((pool_free < slots)); do
        pool_wait_one
    done
    pool_free=$((pool_free - slots))
    set -m
    "$@" </dev/null &
    set +m
    pool_held[$!]=$slots
}

pool_wait()
{
    while ((${#pool_held[@]} > 0)); do
        pool_wait_one
    done
}

# Ends all running jobs.
pool_end()
{
    local job

    for job in "${!pool_held[@]}"; do
        kill -TERM -- "-$job" 2>/dev/null || :
    done
    wait || :
}
