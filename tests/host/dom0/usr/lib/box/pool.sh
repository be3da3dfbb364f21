# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests that put guests into another cpupool.

# to_pool GUEST POOL: moves the guest while it is paused.  Without the pause Xen 4.20 may lose track
# of a vCPU's run queue in credit2, when a pCPU has just stopped the vCPU and has not yet notified
# the scheduler, and panics in update_runq_load() (also without the log). That takes a few
# instructions, but an emulated pCPU can be interrupted between any two.
to_pool()
{
    xl pause "$1"
    usleep 200000
    xl cpupool-migrate "$1" "$2"
    xl unpause "$1"
}
