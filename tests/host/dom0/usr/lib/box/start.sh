# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Common parts of the first process of dom0 and of a guest.  Both source this file, which must work
# before anything else exists.

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

# All of Xen's devices that an unprivileged domain can use.
load_xen_modules()
{
    modprobe xen-evtchn
    modprobe xen-gntdev
    modprobe xen-gntalloc
    # Newer kernels refuse guests' hypercalls themselves; the tests need Xen's answer.
    modprobe xen-privcmd unrestricted=1
    modprobe xenfs
    mount -t xenfs xenfs /proc/xen
}
