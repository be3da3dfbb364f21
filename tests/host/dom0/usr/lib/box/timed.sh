# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Reads of guests whose place is known, by the guests' own clocks, in mode timed: dom0's
# vCPU 0, on pCPU 0, does all of dom0's work.

# For what runs already: the thread that serves a guest's disk, too.
dom0_on_pcpu_0()
{
    local irq folder

    xl vcpu-pin Domain-0 0 0 all
    xl vcpu-pin Domain-0 1 "$(($(xl info nr_cpus) - 1))" all
    for irq in /proc/irq/[0-9]*/smp_affinity; do
        echo 1 2>/dev/null >"$irq" || :
    done
    for folder in /proc/[0-9]*; do
        taskset -p 1 "${folder#/proc/}" >/dev/null 2>&1 || :
    done
}

# start_reader NAME PCPU
start_reader()
{
    guest start idle name="$1" cpus="$2" disk=16 run='errand serve' \
        prepare='dd if=/dev/zero of=/dev/xvda bs=1M count=16 oflag=direct 2>/dev/null'
}

# read_times NAME COUNT [REGION]: mean, median, P99 of a read in ns; caches warm up first
read_times()
{
    # shellcheck disable=SC2046 # its words: ticks, idle, code, and the three
    set -- "$1" "$2" "${3:-62}" $(errand run "$(xl domid "$1")" "region 63
        timed-reads /dev/xvda 100 >/dev/null
        timed-reads /dev/xvda $2 ${3:-62}")
    [ "$6" = 0 ] && echo "$7 $8 $9"
}
