#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lay-out.sh TREE RELEASE ARCH FOLDER SCRIPTS: lays out the hypervisor package.  FOLDER
# gets its files, from the TREE of Xen RELEASE, built for Debian's architecture ARCH;
# SCRIPTS gets the files for dpkg: preinst, postinst, postrm, triggers.  debian/rules and
# pack.sh use it, so that both make the same package.

set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd -P)
. "$HERE/../../../xen-patches/lib/version.sh"

[ $# -eq 5 ] || { echo "usage: lay-out.sh TREE RELEASE ARCH FOLDER SCRIPTS" >&2; exit 2; }
tree=$1 release=$2 arch=$3 folder=$4 scripts=$5
name=schedlog-xen-$release-$arch
# The file that GRUB loads.  On arm64 UEFI can start it, too, and boot loaders of boards
# load it as it is, so it is not compressed.
case $arch in
arm64) image=efi built=$tree/xen/xen ;;
*)     image=gz built=$tree/xen/xen.gz ;;
esac

# filled TEMPLATE MODE FILE
filled()
{
    sed -e "s/@XEN@/$release/g" -e "s/@ARCH@/$arch/g" -e "s/@IMAGE@/$image/g" "$HERE/$1.in" > "$3"
    chmod "$2" "$3"
}

mkdir -p "$folder/boot" "$folder/etc/grub.d" "$folder/etc/default/grub.d" "$scripts"
install -m 644 "$built" "$folder/boot/$name.$image"
install -m 644 "$tree/xen/.config" "$folder/boot/$name.config"
tree_version "$tree" > "$folder/boot/$name.version"
filled menu 755 "$folder/etc/grub.d/21_xen-$release-schedlog"
filled default 644 "$folder/etc/default/grub.d/xenschedlog-$release.cfg"
for script in preinst postinst postrm; do
    filled "$script" 755 "$scripts/$script"
done
filled triggers 644 "$scripts/triggers"
