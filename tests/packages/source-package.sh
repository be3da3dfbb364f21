#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# source-package.sh DSC TARBALL VERSION: make a source package of Xen in the current folder
# from another release's tarball and the debian/ folder of the package DSC, with Debian's
# patches.  Stands in for a package that no mirror has.  Fails if one of Debian's patches
# does not apply.  Prints the name of the new .dsc file.

set -euo pipefail
[ $# -eq 3 ] || { echo "usage: source-package.sh DSC TARBALL VERSION" >&2; exit 2; }

dsc=$1 tarball=$2 version=$3
orig=xen_${version%-*}.orig.tar.${tarball##*.}
[ "$tarball" -ef "$orig" ] || cp "$tarball" "$orig"
mkdir xen
tar -xf "$orig" --no-same-owner --strip-components=1 -C xen
tar -xf "${dsc%.dsc}".debian.tar.* --no-same-owner -C xen
sed -i "1s/(.*)/($version)/" xen/debian/changelog
dpkg-source -b xen >&2
rm -r xen
echo "xen_$version.dsc"
