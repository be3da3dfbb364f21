#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make checked-kernel: tests xensched's Linux modules on a Linux that checks itself: the order
# of locks and their contexts (lockdep), code that sleeps where it must not, RCU, lists, and
# memory that is used after it was freed or beyond its end (SLUB's red zones and poison).  Each
# error is on the console, and fails the test.  The kernel is Debian's source with another
# configuration, built once and kept.  It has no KASAN, because a PV domain's kernel has no
# shadow memory when it starts.
#
#   checked-kernel.sh [NAME...]      host tests (default: those named below)
#
# Results in build/test/checked-kernel.  Writes TAP.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd -P)
# shellcheck source=lib/paths.sh
. "$here/lib/paths.sh"

[[ $# -gt 0 ]] || set -- ring-device ring-locks ring-blkback ring-destroy guest-threads
build=$BOX_BUILD/linux/checked

options()
{
    cat <<'END'
CONFIG_LOCALVERSION="-checked"
# CONFIG_LOCALVERSION_AUTO is not set
CONFIG_SLUB_DEBUG_ON=y
CONFIG_PROVE_LOCKING=y
CONFIG_DEBUG_ATOMIC_SLEEP=y
CONFIG_DEBUG_LIST=y
CONFIG_DEBUG_INFO_NONE=y
CONFIG_XEN_DOM0=y
CONFIG_XEN_DEV_EVTCHN=m
CONFIG_XEN_GNTDEV=m
CONFIG_XEN_GRANT_DEV_ALLOC=m
CONFIG_XEN_PRIVCMD=m
CONFIG_XENFS=m
CONFIG_XEN_BLKDEV_BACKEND=m
CONFIG_XEN_BLKDEV_FRONTEND=m
CONFIG_XEN_NETDEV_FRONTEND=m
CONFIG_XEN_NETDEV_BACKEND=m
CONFIG_VIRTIO_NET=m
CONFIG_BRIDGE=m
CONFIG_NF_TABLES=m
CONFIG_NF_TABLES_BRIDGE=m
CONFIG_NFT_BRIDGE_META=m
CONFIG_BLK_DEV_RAM=m
CONFIG_BLK_DEV_NULL_BLK=m
CONFIG_VIRTIO_PCI=m
CONFIG_NET_9P=m
CONFIG_NET_9P_VIRTIO=m
CONFIG_9P_FS=m
CONFIG_EXT2_FS=y
CONFIG_USERFAULTFD=y
CONFIG_KALLSYMS_ALL=y
CONFIG_CPUSETS=y
END
    # Parts that a host in a box does not use.
    printf '# CONFIG_%s is not set\n' DRM SOUND USB_SUPPORT WLAN WIRELESS \
        ATA SCSI INPUT_MOUSE HID ETHERNET PCCARD MD SECURITY NFS_FS QUOTA EFI \
        HIBERNATION MACINTOSH_DRIVERS I2C IPV6 EXT4_FS KEXEC CRASH_DUMP PROFILING \
        VIRTUALIZATION IOMMU_SUPPORT AGP THERMAL CPU_FREQ WATCHDOG \
        AUDIT BPF_SYSCALL ISO9660_FS MSDOS_FS VFAT_FS AUTOFS_FS MICROCODE \
        HUGETLBFS BTRFS_FS FUSE_FS HAMRADIO RFKILL ACPI_DOCK ACPI_BGRT FB \
        INPUT_JOYSTICK INPUT_TABLET INPUT_TOUCHSCREEN PROVIDE_OHCI1394_DMA_INIT
}

kernel_series()
{
    basename "$(readlink "$BOX_HOST/kernel/modules")" |
        sed -n 's/^\([0-9]*\.[0-9]*\)\..*/\1/p'
}

# The tarball of Debian's package linux-source-X.Y.
unpack()
{
    local tarball=/usr/src/linux-source-$series.tar.xz

    need_file "$tarball" "the source of Linux" "apt-get install linux-source-$series"
    need_command bc bc
    [[ -f /usr/include/libelf.h ]] ||
        die "$BOX_EXIT_MISSING" "libelf.h is missing: apt-get install libelf-dev"
    [[ ! -d $build/linux-source-$series ]] || return 0
    say "unpacking $tarball"
    mkdir -p "$build/new"
    tar -xf "$tarball" -C "$build/new"
    leave_gntdev_out "$build/new"
    mv "$build/new/linux-source-$series" "$build"
    rmdir "$build/new"
}

# Linux's gntdev takes its lock within mmap_lock, and mmap_lock within its lock; xenstored
# already shows that.  lockdep stops checking after its first finding.
leave_gntdev_out()
{
    local file=$1/linux-source-$series/drivers/xen/gntdev.c

    sed -i 's/^\tmutex_init(&priv->lock);$/&\n\tlockdep_set_novalidate_class(\&priv->lock);/' \
        "$file"
    grep -q novalidate "$file" ||
        die "$BOX_EXIT_MISSING" "gntdev's lock cannot be left out of what is checked"
}

# A package like Debian's, for the box, in the place where headers.sh finds the tree.
package()
{
    local release root=$build/deb headers

    release=$(make -s kernelrelease)
    rm -rf "$root"
    mkdir -p "$root/DEBIAN" "$root/boot" "$root/lib/modules/$release"
    make -s INSTALL_MOD_PATH="$root" modules_install
    rm -f "$root/lib/modules/$release"/{build,source}
    cp arch/x86/boot/bzImage "$root/boot/vmlinuz-$release"
    printf '%s\n' "Package: linux-image-$release" "Version: 1" \
        "Architecture: amd64" "Maintainer: nobody" \
        "Description: Linux that checks itself, for tests" >"$root/DEBIAN/control"
    dpkg-deb -Zgzip -z1 -b "$root" "$build/linux-image.deb" >/dev/null
    rm -rf "$root" "$BOX_BUILD/host-checked/kernel"
    headers=$BOX_BUILD/linux/$release/usr/src
    mkdir -p "$headers"
    ln -sfn "$PWD" "$headers/linux-headers-$release"
}

build_kernel()
{
    [[ ! -f $build/linux-image.deb ]] || return 0
    unpack
    cd "$build/linux-source-$series"
    say "building Linux $series that checks itself, about 20 minutes of two CPUs"
    make -s defconfig xen.config >/dev/null
    options >"$build/options"
    scripts/kconfig/merge_config.sh -m .config "$build/options" >/dev/null
    make -s olddefconfig
    [[ $(grep -c -x -E 'CONFIG_(SLUB_DEBUG_ON|PROVE_LOCKING)=y' .config) -eq 2 ]] ||
        die "$BOX_EXIT_MISSING" "this Linux cannot be configured so"
    make -s -j"$(nproc)" bzImage modules
    package
    cd "$top"
}

series=$(kernel_series)
build_kernel
export BOX_KERNEL_DEB=$build/linux-image.deb BOX_HOST=$BOX_BUILD/host-checked
export BOX_RESULTS=$BOX_BUILD/test/checked-kernel BOX_SLOWER=3
"$here/../drivers/build.sh" >&2
exec "$here/run-tests.sh" "$@"
