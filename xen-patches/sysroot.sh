#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# sysroot.sh: make the folder with the arm64 libraries of this machine's Debian release
# that the toolstack and the tools are linked with, and print its path.
#
# Nothing is installed on this machine.  Needs no root.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/arm64-apt.sh"
no_arguments "$@"

# Development packages, and the programs of dom0 in the host for arm64.  apt adds all
# that these depend on.
PACKAGES=(libc6-dev busybox-static
    libbabeltrace2-dev libcmocka-dev libev-dev libfdt-dev libgsl-dev libjson-c-dev
    liblzma-dev libncurses-dev libprotobuf-c-dev libsqlite3-dev libyajl-dev libzstd-dev
    uuid-dev zlib1g-dev)

FOLDER=$CACHE/arm64
ROOT=$FOLDER/sysroot

download()
{
    mkdir -p "$FOLDER"/{lists,archives}/partial
    arm64_apt "$FOLDER" apt-get update
    rm -f "$FOLDER"/archives/*.deb
    arm64_apt "$FOLDER" apt-get install -y --download-only --no-install-recommends "${PACKAGES[@]}"
}

# Links with an absolute target would leave the folder.
relative_links()
{
    local link target

    find "$1" -type l -lname '/*' | while read -r link; do
        target=$(readlink "$link")
        ln -snfr "$1$target" "$link"
    done
}

unpack()
{
    local deb

    rm -rf "$ROOT.new"
    mkdir -p "$ROOT.new"/usr/{bin,lib,sbin}
    ln -s usr/{bin,lib,sbin} "$ROOT.new"
    for deb in "$FOLDER"/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" | tar -xf - -C "$ROOT.new" --keep-directory-symlink
    done
    relative_links "$ROOT.new"
    echo "${PACKAGES[*]}" > "$ROOT.new/packages"
    rm -rf "$ROOT"
    mv "$ROOT.new" "$ROOT"
}

make_sysroot() { download && unpack; }

need apt-get dpkg-deb flock
mkdir -p "$FOLDER"
exec 9> "$FOLDER/.lock"
flock 9
[ "$(cat "$ROOT/packages" 2> /dev/null)" = "${PACKAGES[*]}" ] ||
    stage "Libraries for arm64" sysroot make_sysroot >&2
echo "$ROOT"
