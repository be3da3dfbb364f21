#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2
# box: --sockets 1 --cores 2
# time: 120
#
# The tracepoint that guest-drivers/upstream/ adds to xen-blkback: dom0's tracefs has one event for
# each request of a guest, with its domid and the sectors and pages of the request; none while it is
# off.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh

tracing=/sys/kernel/tracing
event=$tracing/events/xen_blkback/xen_blkback_response

use_traced()
{
    [ -d $tracing/events ] || mount -t tracefs tracefs $tracing || return
    modprobe null_blk nr_devices=1 gb=1 memory_backed=1 discard=1 cache_size=16 irqmode=1 &&
        rmmod xen-blkback &&
        insmod /lib/xensched/xen-blkback-traced.ko
}

# traced COMMAND: prints a line for each event that it causes in the guest
traced()
{
    echo >$tracing/trace
    in_guest plain "$1" || return
    sed -n 's/.*xen_blkback_response: //p' $tracing/trace
}

# sums: summarises these lines by operation: events, pages, sectors, domains
sums()
{
    awk '{ for (i = 1; i < NF; i++) v[$i] = $(i + 1)
           op = $7; n[op]++; pages[op] += v["pages"]; sectors[op] += v["sectors"]
           domids[v["domid"]]; bad += v["status"] != 0 }
         END { for (op in n) print op, n[op], pages[op], sectors[op]
               for (d in domids) printf "domid %s\n", d
               print "failed", bad + 0 }' | sort
}

expected()
{
    printf '%s\n' "$@" "domid $domid" "failed 0" | sort
}

console_begin
check "blkback with the tracepoint replaces that of the kernel" use_traced
disk_guest plain
domid=$(domid plain)
is "off: nothing" "$(traced "disk-io /dev/xvda write 4096 10" | wc -l)" 0
echo 1 >$event/enable
is "each write, with a page and eight sectors" \
    "$(traced "disk-io /dev/xvda write 4096 100" | sums)" \
    "$(expected "WRITE 100 100 800")"
is "each read" \
    "$(traced "disk-io /dev/xvda read 4096 100" | sums)" \
    "$(expected "READ 100 100 800")"
is "writes of 128 KiB, with a page more for the segments in it" \
    "$(traced "disk-io /dev/xvda write 131072 10" | sums)" \
    "$(expected "WRITE 10 330 2560")"
is "flushes and discards" \
    "$(traced "disk-io /dev/xvda flush 5; disk-io /dev/xvda discard 65536 3" | sums)" \
    "$(expected "FLUSH 5 0 0" "DISCARD 3 0 384")"
note "$(traced "disk-io /dev/xvda read 4096 2; disk-io /dev/xvda flush 1" | tr '\n' ';')"
echo 0 >$event/enable
is "off again: nothing" "$(traced "disk-io /dev/xvda write 4096 10" | wc -l)" 0
guest stop plain
check "the consoles have no errors" console_quiet
finish
