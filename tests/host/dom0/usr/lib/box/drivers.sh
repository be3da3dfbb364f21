# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests of xensched's kernel modules in dom0: a disk with every feature that blkback passes on,
# and xensched's blkback instead of the kernel's own.

modules=/lib/xensched
disk=/dev/nullb0

# use_drivers: loads the log module and xensched's blkback, while no guest has a disk.
use_drivers()
{
    if [ ! -f $modules/xensched_log.ko ]; then
        echo "the modules are not built for this kernel: make drivers"
        return 1
    fi
    modprobe null_blk nr_devices=1 gb=1 memory_backed=1 discard=1 \
        cache_size=16 irqmode=1 submit_queues=2 &&
        rmmod xen-blkback &&
        insmod $modules/xensched_log.ko &&
        insmod $modules/xen-blkback.ko
}

# The last guest's disk is released a moment after the guest has ended.
remove_module()
{
    until_true 10 rmmod "$1"
}

# disk_guest NAME [KEY=VALUE...]: starts an obedient guest with that disk.
disk_guest()
{
    local name="$1"

    shift
    guest start obedient "name=$name" "xl=disk = [ 'phy:$disk,xvda,w' ]" "$@" &&
        in_guest "$name" "until [ -b /dev/xvda ]; do usleep 50000; done"
}

# requests THRESHOLD NAME COMMAND: prints the requests that blkback logs, see ring-count.
requests()
{
    cat >requests-go <<END
. /usr/lib/box/tap.sh
in_guest $2 "$3" || exit 98
END
    ring-count "$1" "$(accounting_domain "$2")" sh ./requests-go
}

# Prints the number that the test gave it, or its domid.
accounting_domain()
{
    local domid

    domid=$(domid "$1")
    xenstore-read "/local/domain/0/schedlog/acct/$domid" 2>/dev/null ||
        echo "$domid"
}
