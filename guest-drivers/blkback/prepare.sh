#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Put xen-blkback next to this script, as it is in Debian's Linux source with
# our patches, for a kernel release such as 6.1.0-56-amd64.  DKMS runs this
# before it builds.
#
#   prepare.sh RELEASE [TARBALL]
#   prepare.sh --check RELEASE
#
# TARBALL is /usr/src/linux-source-X.Y.tar.xz if not given: Debian's package
# linux-source-X.Y.  It must not be older than the kernel: its xen-blkback would have
# faults that an update has mended.  --check prints why it cannot be done, or nothing.

set -euo pipefail
cd "$(dirname "$0")"
check=
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
release=${1:?usage: prepare.sh RELEASE [TARBALL]}
series=$(sed -n 's/^\([0-9]*\.[0-9]*\)[^0-9].*/\1/p' <<< "$release")
tarball=${2:-/usr/src/linux-source-$series.tar.xz}

die()
{
    if [ -n "$check" ]; then
        printf 'xen-blkback is not built for Linux %s: %s\n' "$release" "$1" >&2
    else
        printf 'xen-blkback: error: %s\n' "$1" >&2
    fi
    exit 1
}

# version PACKAGE: which is there, if it is.  It is not quite installed yet, but unpacked,
# when it is a kernel's headers that apt has DKMS build for.
version()
{
    case $(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null) in
    '' | not-installed | config-files) return 1 ;;
    esac
    dpkg-query -W -f '${Version}' "$1"
}

# Without packages the versions of kernel and source are unknown.
refuse_older()
{
    local kernel source

    kernel=$(version "linux-headers-$release") &&
        source=$(version "linux-source-$series") || return 0
    dpkg --compare-versions "$source" ge "$kernel" ||
        die "linux-source-$series $source is older than this kernel, $kernel: \
apt-get install linux-source-$series"
}

[ -d "patches/$series" ] ||
    die "there is no patch for Linux $series, only for: $(cd patches && echo *)"
[ -f "$tarball" ] ||
    die "no $tarball: apt-get install linux-source-$series"

[ -n "${2:-}" ] || refuse_older
# A user without write permission, as for DKMS's status, gets no message.
[ -z "$check" ] || [ -w . ] || exit 0

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
if [ -n "$check" ]; then
    rm -r patched
    exit 0
fi
for file in patched/*.[ch]; do
    cmp -s "$file" "${file#patched/}" || cp "$file" .
done
rm -r patched
