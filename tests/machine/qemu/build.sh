#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make machine: build the QEMU of the box's mode timed, build/machine/qemu-system-x86_64.
# It is Debian 13's QEMU with the patches of this folder, built in a Debian 13 below
# build/chroot/, so that it is the same on each Debian; it brings its libraries along.
# apt fetches and verifies the source.  Needs root and debootstrap.  Takes about ten
# minutes on two CPUs and 2 GB of disk; an interrupted build is continued.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../../.." && pwd -P)
. "$TOP/xen-patches/lib/paths.sh"
. "$PATCHES/lib/apt.sh"
. "$TOP/tests/debian-root.sh"

HERE=$TOP/tests/machine/qemu
SUITE=trixie
ROOT=$ROOTS/qemu
OUT=$ROOM/machine
APT=$CACHE/apt-suites
DEPENDS="build-essential python3-venv meson ninja-build flex bison pkgconf
    libglib2.0-dev zlib1g-dev libpixman-1-dev libslirp-dev libcap-ng-dev libattr1-dev"
# Everything optional is off.  Firmware comes from the packages of this machine.
OPTIONS="--target-list=x86_64-softmmu --without-default-features --without-default-devices
    --with-devices-x86_64=box --enable-system --enable-tcg --enable-plugins
    --enable-virtfs --enable-attr --enable-cap-ng --enable-slirp --enable-pixman
    --disable-docs --disable-tools --disable-guest-agent --disable-user
    --disable-download --disable-install-blobs"

# The newest version that the patches are made for.
newest()
{
    local versions

    write_suites "$SUITE"
    source_apt apt-get update > "$BUILD/log/qemu-apt.log" 2>&1 < /dev/null || :
    versions=$(source_apt apt-cache madison qemu 2> /dev/null |
        awk -F ' *[|] *' '$2 ~ /^1:10\.0\./ { print $2 }' | sort -rV)
    echo "${versions%%$'\n'*}"
}

# fetch VERSION: prints the path of the .dsc.
fetch()
{
    local folder=$APT/qemu_${1#*:}

    if [ ! -d "$folder" ]; then
        rm -rf "$folder".part*
        note "fetching the source of Debian's qemu $1 with apt"
        download_source qemu "$1" "$folder.part" >> "$BUILD/log/qemu-apt.log" 2>&1 ||
            return
        mv "$folder.part" "$folder"
    fi
    echo "$folder/qemu_${1#*:}.dsc"
}

in_root() { run_in "$ROOT" / "$@"; }

prepare_root()
{
    make_root "$SUITE" "$ROOT" && in_root apt-get -q update || return
    # What an interrupted run has left half installed.
    in_root dpkg --configure -a || return
    # shellcheck disable=SC2086 # names of packages
    in_root apt-get -q -y --no-install-recommends install $DEPENDS
}

# unpack DSC: the patched source, whole or not at all.
unpack()
{
    local tree=$ROOT/qemu/source patch

    rm -rf "$tree" "$tree.new" "$ROOT/qemu/build"
    mkdir -p "$ROOT/qemu"
    dpkg-source -x "$1" "$tree.new" || return
    for patch in "$HERE"/*.patch; do
        patch -d "$tree.new" -p1 -s < "$patch" || return
    done
    cp "$HERE/box.mak" "$tree.new/configs/devices/x86_64-softmmu/" &&
        mv "$tree.new" "$tree"
}

compile()
{
    # shellcheck disable=SC2016,SC2086 # for the shell in there; words
    in_root sh -euc '
        mkdir -p /qemu/build
        cd /qemu/build
        [ -f build.ninja ] || ../source/configure "$@"
        ninja qemu-system-x86_64' sh $OPTIONS
}

# It runs with the C library of that Debian, on each.
put_out()
{
    local libraries library

    rm -rf "$OUT.new"
    mkdir -p "$OUT.new/lib" &&
        strip -o "$OUT.new/qemu" "$ROOT/qemu/build/qemu-system-x86_64" || return
    libraries=$(in_root ldd /qemu/build/qemu-system-x86_64 | grep -o '/[^ ]*') || return
    for library in $libraries; do
        cp -L "$ROOT$library" "$OUT.new/lib" || return
    done
    cat > "$OUT.new/qemu-system-x86_64" << 'END'
#!/bin/sh
here=$(dirname "$(realpath "$0")")
exec "$here/lib/ld-linux-x86-64.so.2" --library-path "$here/lib" "$here/qemu" \
    -L /usr/share/qemu -L /usr/share/seabios "$@"
END
    chmod +x "$OUT.new/qemu-system-x86_64" &&
        "$OUT.new/qemu-system-x86_64" --version || return
    echo "$1" > "$OUT.new/id"
    rm -rf "$OUT"
    mv "$OUT.new" "$OUT"
}

id_of() { cat "$1" "$0" "$HERE"/*.patch "$HERE/box.mak" | sha256sum; }

[ "$(id -u)" -eq 0 ] || die "Only root can make the Debian in which QEMU is built."
need apt-get dpkg-source debootstrap patch flock
mkdir -p "$BUILD/log"
lock
version=$(newest)
[ -n "$version" ] ||
    die "apt knows no qemu 10.0 of Debian's $SUITE." \
        "What apt said: $BUILD/log/qemu-apt.log"
dsc=$(fetch "$version") ||
    die "Cannot fetch the source of qemu $version." \
        "What apt said: $BUILD/log/qemu-apt.log"
id=$(id_of "$dsc")
[ "$(cat "$OUT/id" 2> /dev/null)" != "$id" ] || exit 0
[ -f "$ROOT/qemu/ready" ] ||
    { stage "Debian $SUITE, to build QEMU in" qemu-root prepare_root
      mkdir -p "$ROOT/qemu"
      : > "$ROOT/qemu/ready"; }
if [ "$(cat "$ROOT/qemu/id" 2> /dev/null)" != "$id" ]; then
    stage "QEMU ${version#*:}: unpack, patch" qemu-source unpack "$dsc"
    echo "$id" > "$ROOT/qemu/id"
fi
stage "QEMU ${version#*:}: build" qemu-build compile
stage "QEMU ${version#*:}: put into build/machine" qemu-out put_out "$id"
