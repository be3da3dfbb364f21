#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --systemd --sockets 1 --cores 2
# time: 200
# only: full
#
# The configuration that is installed with our blkback makes Debian's modprobe load it where
# possible, else the kernel's own.  Fails if a host has no disks then.

. /usr/lib/box/tap.sh
. /usr/lib/box/drivers.sh
. /usr/lib/box/systemd.sh

folder=/lib/modules/$(uname -r)
ours=$folder/updates/dkms/xen-blkback.ko
own=$folder/kernel/drivers/block/xen-blkback/xen-blkback.ko

# Debian's files; the host of the test has its own modprobe, and all modules in one folder.
install_modprobe()
{
    unpack_systemd || return
    mkdir -p /sbin /etc/modprobe.d "${ours%/*}" "${own%/*}"
    for name in modprobe insmod depmod; do
        ln -sf /usr/bin/kmod /sbin/$name || return
    done
    cp ${modules:?}/modprobe.conf /etc/modprobe.d/xen-blkback-xensched.conf
    mv $folder/xen-blkback.ko $own
    cp $modules/xen-blkback.ko $ours
    : >$folder/modules.order
    /sbin/depmod
}

# Which blkback is loaded?
is_ours() { grep -q xensched_link_keys /proc/kallsyms; }
is_theirs() { grep -q '\[xen_blkback]' /proc/kallsyms && ! is_ours; }

# serves NAME
serves()
{
    disk_guest "$1" && in_guest "$1" \
        "disk-io /dev/xvda write 4096 100 && disk-io /dev/xvda read 4096 100" &&
        guest stop "$1" && remove_module xen_blkback
}

modprobe null_blk nr_devices=1 gb=1 memory_backed=1
rmmod xen-blkback
check "Debian's modprobe is there, and our blkback" install_modprobe
check "modprobe loads a blkback" /sbin/modprobe xen-blkback
check "the loaded blkback is the patched one" is_ours
check "once" /sbin/modprobe xen-blkback
check "and serves a disk" serves one

# A file that is no module.
dd if=/dev/zero of=$ours bs=64 count=1 conv=notrunc 2>/dev/null
check "ours cannot be loaded" sh -c "! insmod $ours"
check "modprobe loads a blkback, by its alias, too" /sbin/modprobe xen-backend:vbd
check "the loaded blkback is the kernel's own" is_theirs
check "and serves a disk just as well" serves two

away=/var/lib/dkms/xen-blkback-xensched/original_module/$(uname -r)/$(uname -m)
mkdir -p "$away"
mv $own "$away"
echo $own >"$away/xen-blkback.ko.origin"
check "it is found where DKMS puts it away" /sbin/modprobe xen-blkback
check "... the kernel's own" is_theirs
check "and serves a disk there, too" serves three
rm -r "$away"
check "if there is none, modprobe says so" sh -c '! /sbin/modprobe xen-blkback'
finish
