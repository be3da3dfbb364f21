# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What HVM guests need in dom0: Debian's QEMU as their device model, its BIOS, and hvmloader of the
# built toolstack.  An image (image.sh) for hosts with --hvm, which dom0's command "guest" unpacks.
#
# QEMU copies a guest's kernel and initramfs byte by byte, a second for every 300 KB in emulation,
# so they are compressed.
#
# Gives: $BOX_HOST/boot/hvm.cpio

readonly HVM_QEMU=/usr/libexec/xen-qemu-system-i386
readonly HVM_FILES=(/usr/share/seabios/bios-256k.bin
                    /usr/share/qemu/{linuxboot.bin,keymaps/en-us})

install_hvm()
{
    local file boot=$1/lib/hvm

    need_file "$HVM_QEMU" "a device model" "apt-get install qemu-system-xen"
    # The toolstack expects it there (xen-patches/toolstack.sh).
    install -D "$HVM_QEMU" "$1/usr/bin/qemu-system-x86_64"
    for file in "${HVM_FILES[@]}"; do
        install -D -m 644 "$file" "$1$file"
    done
    install -D "$BOX_TOOLSTACK"/usr/lib/xen/boot/hvmloader -t "$1/usr/lib/xen/boot"
    install_libraries "$1"
    # Not below /usr, where all that strip knows is stripped.
    mkdir -p "$boot"
    cp "$(kernel_image)" "$boot/vmlinuz"
    # The checksum which Linux knows.  (Its size is a multiple of 4 bytes, as it has to
    # be before another archive.)
    xz --check=crc32 <"$BOX_HOST/boot/guest.cpio" >"$boot/guest.cpio.xz"
}
