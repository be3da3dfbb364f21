# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Starts the guest and its work for the three hosts of host-sampling.sh, in dom0.  The file
# "work" has the name of the work.

work=$(cat work)

# start_sampled: dom0 on pCPU 0, the guest on pCPU 1.
start_sampled()
{
    local more=

    xl vcpu-pin Domain-0 0 0 all
    [ "$work" != postmark ] || more="tools=1 disk=0 memory=176"
    # shellcheck disable=SC2086 # separate words
    guest start sampled cpus=1 prepare="./sampled-work prepare $work" $more
}

# do_work: returns when the guest has done it.
do_work()
{
    # shellcheck disable=SC2046 # its words: ticks, idle, exit code, what it said
    set -- $(errand run "$(xl domid sampled)" \
        "errand mark && ./sampled-work run $work 2>&1 && errand mark")
    echo "$work: $*"
    [ "$3" = 0 ]
}
