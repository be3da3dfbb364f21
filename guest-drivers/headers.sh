#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Print the folder to build modules in for a kernel release of Debian, such as
# 6.1.0-56-amd64: that of the installed headers, or else of the packages,
# unpacked below build/ and not installed.
#
#   headers.sh RELEASE

set -euo pipefail
TOP=$(cd "$(dirname "$0")/.." && pwd -P)
CACHE=$TOP/build/cache
RELEASE=${1:?usage: headers.sh RELEASE}
ROOT=$TOP/build/linux/$RELEASE
HEADERS=usr/src/linux-headers-$RELEASE

die() { printf 'headers: error: %s\n' "$1" >&2; exit 1; }

# deb PACKAGE: its file, downloaded if need be.
deb()
{
    local file

    mkdir -p "$CACHE"
    file=$(find "$CACHE" -maxdepth 1 -name "${1}_*.deb" -print -quit)
    if [ -z "$file" ]; then
        # apt's own user may not be able to write to a build folder.
        (cd "$CACHE" && apt-get -qq -o APT::Sandbox::User=root \
            download "$1" >&2) ||
            die "cannot download $1; is it gone? Run apt-get update."
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
