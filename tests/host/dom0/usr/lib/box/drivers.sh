# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests of our kernel modules in dom0: a disk which can do everything that
# blkback passes on, and our blkback in place of the kernel's own.  Whatever
# the test did, the next one finds the kernel's.

modules=/lib/xensched
disk=/dev/nullb0

# use_drivers: the log module and our blkback; no guest has a disk yet.  A test
# that was killed has given nothing back.
use_drivers()
{
    ! loaded xensched_log || give_drivers_back
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

# The last guest's disk goes a moment after the guest.
remove_module()
{
    local left=100

    until rmmod "$1" 2>/dev/null; do
        [ $left -gt 0 ] || return 1
        left=$((left - 1))
        usleep 100000
    done
}

loaded()
{
    grep -q "^$1 " /proc/modules
}

give_drivers_back()
{
    local domid

    for domid in $(xl list | awk 'NR > 1 && $2 > 0 { print $2 }'); do
        xl destroy "$domid"
    done
    for module in xen_blkback xensched_guest xensched_log null_blk; do
        ! loaded $module || remove_module $module
    done
    modprobe xen-blkback
}

# disk_guest NAME [KEY=VALUE...]: one with that disk, which does as it is told.
disk_guest()
{
    local name="$1"

    shift
    guest start obedient "name=$name" "xl=disk = [ 'phy:$disk,xvda,w' ]" "$@" &&
        in_guest "$name" "until [ -b /dev/xvda ]; do usleep 50000; done"
}

# requests THRESHOLD NAME COMMAND: what of them blkback logs, see ring-count.
requests()
{
    cat >requests-go <<END
. /usr/lib/box/tap.sh
in_guest $2 "$3" || exit 98
END
    ring-count "$1" "$(accounting_domain "$2")" sh ./requests-go
}

# The number that the test gave it, or its domid.
accounting_domain()
{
    local domid

    domid=$(xl domid "$1")
    xenstore-read "/local/domain/0/schedlog/acct/$domid" 2>/dev/null ||
        echo "$domid"
}

trap give_drivers_back EXIT
