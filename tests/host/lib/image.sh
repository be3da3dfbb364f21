# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Further cpios, whose files overlay those of the initramfs, for tests that need more.  Each is made
# only for hosts that request it, by a file lib/NAME-image.sh with a function install_NAME.
#
# Gives: $BOX_HOST/boot/NAME.cpio

# image_build NAME FILE: makes it without the initramfs's files.
image_build()
{
    local root=$BOX_HOST/$1 file

    rm -rf "$root"
    mkdir -p "$root"
    "install_$1" "$root"
    (cd "$root" && find . -name '*.ko' -o -name '*.so*') |
        while read -r file; do
            [[ ! -e $BOX_HOST/initramfs/$file ]] || rm "$root/$file"
        done
    find "$root/usr" -type f -exec strip --strip-unneeded {} + 2>/dev/null || true
    (cd "$root" && find . | busybox cpio -o -H newc -R 0:0 2>/dev/null) >"$2"
}

# image_prepare NAME: makes it after the initramfs, to which it must fit.
image_prepare()
{
    local image=$BOX_HOST/boot/$1.cpio

    if [[ $image -nt $BOX_HOST/boot/initramfs.cpio &&
          $image -nt $BOX_SOURCE/lib/image.sh &&
          $image -nt $BOX_SOURCE/lib/$1-image.sh ]]; then
        return
    fi
    say "making the image of $1"
    image_build "$1" "$image.new"
    mv "$image.new" "$image"
}
