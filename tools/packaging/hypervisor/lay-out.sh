#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lay-out.sh TREE RELEASE FOLDER SCRIPTS: lays out the hypervisor package.  FOLDER gets
# its files, from the built TREE of Xen RELEASE; SCRIPTS gets the files for
# dpkg: preinst, postinst, postrm, triggers.  debian/rules and pack.sh use it, so that
# both make the same package.

set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd -P)
. "$HERE/../../../xen-patches/lib/version.sh"

[ $# -eq 4 ] || { echo "usage: lay-out.sh TREE RELEASE FOLDER SCRIPTS" >&2; exit 2; }
tree=$1 release=$2 folder=$3 scripts=$4
name=schedlog-xen-$release-amd64

# filled TEMPLATE MODE FILE
filled()
{
    sed "s/@XEN@/$release/g" "$HERE/$1.in" > "$3"
    chmod "$2" "$3"
}

mkdir -p "$folder/boot" "$folder/etc/grub.d" "$folder/etc/default/grub.d" "$scripts"
install -m 644 "$tree/xen/xen.gz" "$folder/boot/$name.gz"
install -m 644 "$tree/xen/.config" "$folder/boot/$name.config"
tree_version "$tree" > "$folder/boot/$name.version"
filled menu 755 "$folder/etc/grub.d/21_xen-$release-schedlog"
filled default 644 "$folder/etc/default/grub.d/xenschedlog-$release.cfg"
for script in preinst postinst postrm; do
    filled "$script" 755 "$scripts/$script"
done
filled triggers 644 "$scripts/triggers"
