#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Put xen-blkback next to this script, as it is in Debian's Linux source with
# our patches, for a kernel release such as 6.1.0-56-amd64.  DKMS runs this
# before it builds.
#
#   prepare.sh RELEASE [TARBALL]
#
# TARBALL is /usr/src/linux-source-X.Y.tar.xz if not given: Debian's package
# linux-source-X.Y.

set -euo pipefail
cd "$(dirname "$0")"
release=${1:?usage: prepare.sh RELEASE [TARBALL]}
series=$(sed -n 's/^\([0-9]*\.[0-9]*\)[^0-9].*/\1/p' <<< "$release")
tarball=${2:-/usr/src/linux-source-$series.tar.xz}

die() { printf 'xen-blkback: error: %s\n' "$1" >&2; exit 1; }

[ -d "patches/$series" ] ||
    die "there is no patch for Linux $series, only for: $(ls patches)"
[ -f "$tarball" ] ||
    die "no $tarball: apt-get install linux-source-$series"

# The whole archive has to be read for a few files: only if it has changed.
source=linux-source-$series
id=$(stat -c '%n %s %Y' "$tarball")
if [ "$(cat "$source/from" 2> /dev/null)" != "$id" ]; then
    rm -rf "$source"
    # Together with what the patches are checked with.
    tar -xf "$tarball" "$source/drivers/block/xen-blkback" \
        "$source/scripts"/{checkpatch.pl,spelling.txt,const_structs.checkpatch,kernel-doc}
    echo "$id" > "$source/from"
fi

rm -rf patched
cp -r "$source/drivers/block/xen-blkback" patched
for patch in "patches/$series"/*.patch; do
    patch -s -p4 -F0 -d patched < "$patch" ||
        die "$(basename "$patch") does not apply to $tarball"
done
for file in patched/*.[ch]; do
    cmp -s "$file" "${file#patched/}" || cp "$file" .
done
rm -r patched
