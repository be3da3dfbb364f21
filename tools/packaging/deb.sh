#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make deb: Debian packages of the tools, the library, the documents, a hypervisor and the
# modules for DKMS, for the Debian release that this machine has: build/deb/*.deb.  With
# XEN_ARCH=arm64 it makes those for arm64, on this machine: build/arm64/deb/*.deb.
#
# The hypervisor is built from the source of Debian's own, the version that apt would
# install, and Debian's toolstack is used.  XEN_FROM=pin or XEN_TARBALL=FILE take another
# source (xen-patches/fetch.sh).  Nothing is installed.  The project and Xen's source are
# laid out in the folder xensched beside the packages, which dpkg-buildpackage and
# "apt-get build-dep" see; what was built in this folder before is kept.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
cd "$TOP"
HERE=$(dpkg --print-architecture)   # Debian's names, unlike XEN_ARCH
ARCH=${XEN_ARCH:-$HERE}
ARCH=${ARCH/x86_64/amd64}
OUT=$TOP/build/deb
[ "$ARCH" = "$HERE" ] || OUT=$TOP/build/$ARCH/deb
SOURCE=$OUT/xensched
unset MAKEFLAGS MFLAGS MAKELEVEL    # of the make that has called this

die()
{
    printf 'deb: error: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '    %s\n' "$@" >&2
    exit 1
}

# The release of Debian's Xen, such as 4.20.
debian_xen()
{
    apt-cache policy libxen-dev 2> /dev/null |
        sed -n 's/^ *Candidate: \([0-9]*\.[0-9]*\)\..*/\1/p'
}

# The files of the project that git does not ignore; from an archive, all but build/.
files()
{
    if git rev-parse --git-dir > /dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard
    else
        find . -path ./build -prune -o -type f -printf '%P\n'
    fi | while IFS= read -r file; do
        [ ! -e "$file" ] || echo "$file"
    done
}

# Prints the files with changes that are not committed; without git, all files.
uncommitted()
{
    if git rev-parse --git-dir > /dev/null 2>&1; then
        git ls-files --modified --others --exclude-standard
    else
        files
    fi
}

# When the project was changed last: packages of the same files have the same date.
changed()
{
    {
        git log -1 --format=%ct 2> /dev/null || :
        uncommitted | while IFS= read -r file; do
            [ ! -e "$file" ] || stat -c %Y "$file"
        done
    } | sort -n | tail -n 1
}

# copy_source FILE: a tarball, or a .dsc file with the files that it names.
copy_source()
{
    case $1 in
    *.dsc) cp -p "${1%/*}"/xen_* "$SOURCE" ;;
    *)     cp -p "$1" "$SOURCE" ;;
    esac
    echo "${1##*/}" > "$SOURCE/debian/xen-source"
}

lay_out()
{
    local source debian=$SOURCE/debian

    # A package with a hypervisor that is older than Debian's is made only on request.
    source=$(XEN_RELEASE=$release XEN_FROM=${XEN_FROM:-apt} xen-patches/fetch.sh)
    mkdir -p "$SOURCE"
    find "$SOURCE" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    # With their times, so that make builds what has changed.
    files | tar -T - -cf - | tar -xf - -C "$SOURCE"
    cp -r tools/packaging/debian "$debian"
    copy_source "$source"
    echo "$release" > "$debian/xen-release"
    sed "s/@XEN@/$release/g" "$debian/control.in" > "$debian/control"
    sed -e "s/@VERSION@/$version/" -e "s/@DATE@/$(date -R -u -d "@$(changed)")/" \
        "$debian/changelog.in" > "$debian/changelog"
    rm "$debian"/*.in
}

case $ARCH in
amd64|arm64) ;;
*) die "There is no Xen with the log for this architecture: $ARCH" ;;
esac
[ -z "${XEN_TREE:-}" ] ||
    die "Packages are made from Debian's source of Xen, not from XEN_TREE." \
        "With a source of your own: XEN_TARBALL=FILE"
command -v dpkg-buildpackage > /dev/null ||
    die "dpkg-buildpackage is missing: apt-get install build-essential"
release=${XEN_RELEASE:-$(debian_xen)}
[ -n "$release" ] ||
    die "apt knows no libxen-dev, with which the tools are linked." \
        "If this is Debian: apt-get update"
[ -f "xen-patches/$release/source" ] ||
    die "Debian's Xen is $release here, for which there are no patches, only for:" \
        "$(cd xen-patches && echo [0-9]*)"
# Packages for a Debian release are newer than those for the release before, and those of
# a later change are newer: files that moved between packages need that (Breaks).
version=$(sed -n 's/^VERSION := //p' tools/xensched/Makefile)
version=$version+deb$(. /etc/os-release && echo "${VERSION_ID:-sid}")
version=$version+$(date -u -d "@$(changed)" +%Y%m%d%H%M)

lay_out
cd "$SOURCE"
if ! dpkg-checkbuilddeps -a "$ARCH"; then
    [ "$ARCH" = "$HERE" ] || cross=(
        "dpkg --add-architecture $ARCH && apt-get update"
        "apt-get install crossbuild-essential-$ARCH"
        "(Use a separate root: some packages for $ARCH replace those of this machine.)")
    die "Packages are missing that the build needs. As root:" "${cross[@]}" \
        "apt-get build-dep${cross:+ --host-architecture $ARCH} $SOURCE"
fi
rm -f "$OUT"/*.deb
echo "building in ${SOURCE#"$TOP/"}, some minutes; what it says: ${OUT#"$TOP/"}/log"
dpkg-buildpackage -b -us -uc --host-arch "$ARCH" > "$OUT/log" 2>&1 ||
    { tail -n 30 "$OUT/log" >&2; die "The build failed. The whole output: $OUT/log"; }
ls "$OUT"/*.deb
