#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pack.sh TREE VERSION FOLDER DEB: makes the hypervisor package DEB of the TREE of Xen,
# built for this machine's architecture; debian/rules makes the same package.  Works in
# FOLDER, which must not exist.  A file named DEB appears only when it is whole.

set -euo pipefail
HERE=$(cd "$(dirname "$0")/../../.." && pwd -P)

[ $# -eq 4 ] || { echo "usage: pack.sh TREE VERSION FOLDER DEB" >&2; exit 2; }
tree=$1 version=$2 folder=$3 deb=$4
release=$(< "$HERE/debian/xen-release")
arch=$(dpkg --print-architecture)
package=xen-hypervisor-$release-$arch-schedlog
staging=$folder/files control=$folder/files/DEBIAN

"$HERE/tools/packaging/hypervisor/lay-out.sh" "$tree" "$release" "$arch" "$staging" \
    "$folder/scripts"
install -D -m 644 -t "$staging/usr/share/doc/$package" "$HERE/debian/copyright"
mkdir "$control"
cd "$staging"
find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | xargs -0 md5sum > DEBIAN/md5sums
find etc -type f -printf '/%p\n' > DEBIAN/conffiles
for script in "$folder"/scripts/*; do
    sed '/^#DEBHELPER#$/d' "$script" > "$control/${script##*/}"
    chmod --reference="$script" "$control/${script##*/}"
done
: > "$folder/substvars"
cd "$HERE"
dpkg-gencontrol -p"$package" -v"$version" -P"$staging" -T"$folder/substvars" \
    -f"$folder/list" -O"$control/control" -Vmisc:Depends=
dpkg-deb --root-owner-group -b "$staging" "$deb.new"
mv "$deb.new" "$deb"
