# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What the first process of dom0 and that of a guest have in common.  It is
# read by them (".") and has to go without anything else being there.

export PATH=/usr/sbin:/usr/bin:/usr/lib/xen/bin:/bin
export HOME=/root

mount_system()
{
    mount -t proc proc /proc
    mount -t sysfs sysfs /sys
    mount -t devtmpfs devtmpfs /dev
    mkdir -p /dev/pts
    mount -t devpts devpts /dev/pts
    mount -t tmpfs tmpfs /run
    mkdir -p /run/xen /run/lock
}

# Everything of Xen that a domain can use without being privileged.
load_xen_modules()
{
    modprobe xen-evtchn
    modprobe xen-gntdev
    modprobe xen-gntalloc
    # Newer kernels refuse the hypercalls of guests themselves; we test Xen.
    modprobe xen-privcmd unrestricted=1
    modprobe xenfs
    mount -t xenfs xenfs /proc/xen
}
