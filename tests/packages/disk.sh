# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The disk of a Debian host: source this, after debian-root.sh.  Needs root, but no
# device for loops: the file system is made of a folder.
#
#   make_disk SUITE FOLDER PACKAGES
#
# FOLDER/disk has a partition with Debian's kernel, systemd, Xen of that release, the
# programs of GRUB, and in /packages those of the folder PACKAGES; and an empty one for
# what UEFI boots.  GRUB is not on the disk yet, as its programs read devices: a system that
# boots FOLDER/vmlinuz and initrd.img on it can install GRUB.

DISK_START=1048576  # of the first partition

# The initial RAM disk does not depend on this machine's devices, so it stays small.
set_up_initramfs()
{
    echo 'MODULES=list' > "$1/etc/initramfs-tools/conf.d/modules" &&
        printf '%s\n' virtio_pci virtio_blk xen-blkfront ext4 \
            > "$1/etc/initramfs-tools/modules"
}

# What grub-pc writes there, and, before what Debian's Xen has to say: the console is a
# serial line, for GRUB, Xen and Linux, and dom0 is on socket 0.
set_up_grub()
{
    mkdir -p "$1/etc/default/grub.d" &&
        cp "$1/usr/share/grub/default/grub" "$1/etc/default/grub" &&
        cat > "$1/etc/default/grub.d/serial.cfg" << 'END'
GRUB_TIMEOUT=1
GRUB_TERMINAL=serial
GRUB_SERIAL_COMMAND="serial --unit=0 --speed=115200"
GRUB_CMDLINE_LINUX="console=ttyS0"
GRUB_CMDLINE_LINUX_XEN_REPLACE="console=hvc0"
GRUB_CMDLINE_XEN="console=com1 com1=115200,8n1 dom0_mem=640M,max:640M dom0_max_vcpus=2 dom0_vcpus_pin"
END
}

# The program that listens to machine.sh.
set_up_inside()
{
    cp tests/packages/inside.sh "$1/usr/local/sbin/inside" &&
        cat > "$1/etc/systemd/system/inside.service" << 'END' &&
[Service]
ExecStart=/usr/local/sbin/inside
[Install]
WantedBy=multi-user.target
END
        run_in "$1" / systemctl enable inside
}

# make_file_system FOLDER FILE SIZE [OPTION]: ext4, as each release's GRUB reads it.
make_file_system()
{
    mke2fs -q -F -t ext4 -O ^metadata_csum_seed,^orphan_file -L "${2##*/}" \
        ${4:+-E "$4"} -d "$1" "$2" "$3"
}

# A PV guest with a file of the host as its disk, which it reads all the time.
make_guest()
{
    local root=$1/guest/root

    mkdir -p "$root"/{bin,dev,proc,sys,sbin} && cp "$1/bin/busybox" "$root/bin/" &&
        cat > "$root/sbin/init" << 'END' &&
#!/bin/busybox sh
while busybox dd if=/dev/xvda of=/dev/null bs=4k count=1024 iflag=direct; do :; done
END
        chmod +x "$root/sbin/init" &&
        cat > "$1/guest/reader.cfg" << 'END' &&
name = "reader"
kernel = "/vmlinuz"
ramdisk = "/initrd.img"
root = "/dev/xvda ro"
extra = "console=hvc0 init=/sbin/init"
memory = 256
vcpus = 1
disk = [ "format=raw,vdev=xvda,access=ro,target=/guest/disk" ]
END
        make_file_system "$root" "$1/guest/disk" 16M
}

# bring_packages FOLDER ROOT: and what apt would fetch with them: the machine has no
# network.
bring_packages()
{
    mkdir -p "$2/packages" &&
        cp "$1"/*.deb "$2/packages" &&
        run_in "$2" / sh -c 'apt-get -q -y --no-install-recommends --download-only \
            install /packages/xensched_*.deb /packages/xen-hypervisor-*.deb'
}

# fill_root ROOT: Debian's packages, none of ours.
fill_root()
{
    local apt="apt-get -q -y --no-install-recommends"

    run_in "$1" / sh -euc "apt-get -q update
            $apt install initramfs-tools zstd busybox-static" &&
        set_up_initramfs "$1" &&
        run_in "$1" / sh -euc "$apt install linux-image-amd64 systemd-sysv udev \
            e2fsprogs dosfstools grub2-common grub-pc-bin grub-efi-amd64-bin \
            xen-system-amd64; apt-get clean" &&
        echo 'LABEL=disk / ext4 defaults 0 1' > "$1/etc/fstab" &&
        echo host > "$1/etc/hostname" &&
        set_up_grub "$1" && set_up_inside "$1"
}

# write_disk ROOT FILE
write_disk()
{
    local size

    size=$(($(du -sm "$1" | cut -f 1) + 500))
    rm -f "$2"
    truncate -s "$((size + 66))M" "$2" &&
        printf '%s\n' "start=$((DISK_START / 512)), size=${size}M, type=83, bootable" \
            "size=64M, type=ef" | sfdisk -q "$2" &&
        make_file_system "$1" "$2" "${size}M" "offset=$DISK_START"
}

make_disk()
{
    local root=$ROOTS/$1.boot

    rm -rf "$root"
    make_root "$1" "$root" && fill_root "$root" && bring_packages "$3" "$root" &&
        make_guest "$root" && cp -L "$root/vmlinuz" "$root/initrd.img" "$2" &&
        write_disk "$root" "$2/disk" && rm -rf "$root"
}
