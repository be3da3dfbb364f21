# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests that put guests into another cpupool.

# to_pool GUEST POOL: while the guest is paused.  Xen 4.20 may forget in which
# run queue of credit2 a vCPU is when its pCPU has just stopped to run it and not
# yet said so to the scheduler, and panics in update_runq_load() then (also
# without the log): a few instructions, but an emulated pCPU can be interrupted
# between any two.
to_pool()
{
    xl pause "$1"
    usleep 200000
    xl cpupool-migrate "$1" "$2"
    xl unpause "$1"
}
