# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# The threads and interrupts by which dom0's xen-blkback serves guests: lists them, puts all on one
# vCPU, and measures from how far they serve.

serving_threads()
{
    local folder

    for folder in /proc/[0-9]*; do
        ! grep -q '^[0-9]*\.xvda-0$' "$folder/comm" 2>/dev/null ||
            echo "${folder#/proc/}"
    done
}

serving_irqs()
{
    sed -n 's/^ *\([0-9]*\):.*blkif-backend.*/\1/p' /proc/interrupts
}

# serve_on VCPU
serve_on()
{
    local number

    for number in $(serving_threads); do
        taskset -p $((1 << $1)) "$number" >/dev/null
    done
    for number in $(serving_irqs); do
        echo "$1" >"/proc/irq/$number/smp_affinity_list"
    done
}

# from_afar GUEST SOCKET: prints the percentage of dom0's notifications to it that were sent on the
# other socket, in the latest recording
from_afar()
{
    awk -v guest="$1" -v home="$2" '
        $1 == "socket" { socket[$2] = $3 }
        $1 == "number" && $2 == guest { to = $3 }
        $1 == "number" && $2 == "Domain-0" { from = $3 }
        $1 == "sent" && $2 == from && $3 == to {
            all += $5
            if (socket[$4] != home)
                far += $5
        }
        END { if (all >= 20) printf "%.1f\n", 100 * far / all }' /run/ran.sums
}

# at_most_half NOW BEFORE
at_most_half()
{
    awk -v now="$1" -v before="$2" 'BEGIN {
        print now " %, before " before " %"
        exit !(before >= 10 && now <= before / 2) }'
}
