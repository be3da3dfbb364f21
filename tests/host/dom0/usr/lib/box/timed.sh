# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Measures reads of guests at a known distance from dom0, by the guests' own clocks.

# Holds dom0's vCPU 0 on pCPU 0 and gives it all of dom0's work, and its vCPU 1 on the last
# pCPU.  Call it after the guests have started: it moves threads that exist, such as those
# that serve the guests' disks.
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

# read_times NAME [REGION]: requests, mean, median, P99 in ns of reads of 4 KiB, one after the
# other, for 15 ms; caches warm up first
read_times()
{
    # shellcheck disable=SC2046 # its words: ticks, idle, code, and the four
    set -- $(errand run "$(xl domid "$1")" "region 63
        timed-reads /dev/xvda 4096 1 0 1 0 15 ${2:-62}")
    [ "$3" = 0 ] && shift 3 && echo "$*"
}
