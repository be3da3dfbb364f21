#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Print the folder to build modules in for a kernel release of Debian, such as
# 6.1.0-56-amd64: that of the installed headers, or else of the packages,
# unpacked below build/ and not installed.  For a release of another architecture, such
# as 6.1.0-56-arm64, its headers are unpacked with the programs of this machine's own.
#
#   headers.sh RELEASE

set -euo pipefail
TOP=$(cd "$(dirname "$0")/.." && pwd -P)
CACHE=$TOP/build/cache
RELEASE=${1:?usage: headers.sh RELEASE}
ROOT=$TOP/build/linux/$RELEASE
HEADERS=usr/src/linux-headers-$RELEASE

# shellcheck source=xen-patches/lib/arm64-apt.sh
. "$TOP/xen-patches/lib/arm64-apt.sh"

die() { printf 'headers: error: %s\n' "$*" >&2; exit 1; }

# apt_of PACKAGE ARGUMENT...: apt-get, for the architecture that the package's name ends
# with.
apt_of()
{
    case $1-$(dpkg --print-architecture) in
    *-arm64-arm64) ;;
    *-arm64-*)
        # It also fetches the lists of packages.
        "$TOP/xen-patches/sysroot.sh" > /dev/null
        arm64_apt "$CACHE/arm64" apt-get "${@:2}"
        return ;;
    esac
    # apt's own user may not be able to write to a build folder.
    apt-get -qq -o APT::Sandbox::User=root "${@:2}"
}

# deb PACKAGE: its file, downloaded if need be.
deb()
{
    local file

    mkdir -p "$CACHE"
    file=$(find "$CACHE" -maxdepth 1 -name "${1}_*.deb" -print -quit)
    if [ -z "$file" ]; then
        (cd "$CACHE" && apt_of "$1" download "$1" >&2) ||
            die "cannot download $1; is it gone? Run apt-get update" \
                "(for arm64: remove $CACHE/arm64)."
        file=$(find "$CACHE" -maxdepth 1 -name "${1}_*.deb" -print -quit)
    fi
    echo "$file"
}

unpack()
{
    local first package

    first=$(deb "linux-headers-$RELEASE")
    rm -rf "$ROOT" "$ROOT.tmp"
    mkdir -p "$ROOT.tmp"
    dpkg-deb -x "$first" "$ROOT.tmp"
    for package in $(dpkg-deb -f "$first" Depends | tr ',' '\n' |
        sed -n 's/^ *\(linux-headers-[^ ]*-common\|linux-kbuild-[^ ]*\).*/\1/p')
    do
        dpkg-deb -x "$(deb "$package")" "$ROOT.tmp"
    done
    # The only absolute path in them.
    sed -i "s|/usr/src/|$ROOT/usr/src/|" "$ROOT.tmp/$HEADERS/Makefile"
    mv "$ROOT.tmp" "$ROOT"
}

if [ -f "/lib/modules/$RELEASE/build/Makefile" ]; then
    echo "/lib/modules/$RELEASE/build"
    exit
fi
[ -f "$ROOT/$HEADERS/Makefile" ] || unpack
echo "$ROOT/$HEADERS"
