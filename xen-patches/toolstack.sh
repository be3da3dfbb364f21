#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the toolstack of a tree, as far as a host needs it, and install it
# (prefix /usr): headers, libraries, xl, xenstored, xenconsoled, xentrace, hvmloader and
# the small helpers.  Device model and BIOS of HVM guests are those of Debian.
# For arm64 (XEN_ARCH=arm64) it is linked with Debian's libraries of arm64 (sysroot.sh), and
# has no hvmloader.
#
#   toolstack.sh patched   under build/dist
#   toolstack.sh native    under build/dist-native: as Xen has it
#
# Nothing runs when no file that the toolstack is made from has changed.  There, only
# files whose content differs are written, so that what is built against its headers
# is rebuilt only when it must be.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/xenmake.sh"
. "$PATCHES/lib/configure.sh"

WHICH=${1:-patched}
case $WHICH in
patched) ;;
native)  DIST=$DIST-native ;;
*)       die "usage: toolstack.sh [patched | native]" ;;
esac
TREE=$XEN/$WHICH
SUBDIRS=
for dir in include libs xenstore xs-clients xenstored misc xentrace console xl helpers \
           firmware; do
    # 4.17 has xenstored and its clients in one.
    [ ! -d "$TREE/tools/$dir" ] || [ "$ARCH $dir" = "arm64 firmware" ] ||
        SUBDIRS+=${SUBDIRS:+ }$dir
done
STAMP=$TREE/.xensched/toolstack
CONFIGURED=$TREE/.xensched/configure

OPTIONS=("${TOOLS_OPTIONS[@]}")
if [ "$ARCH" = arm64 ]; then
    need aarch64-linux-gnu-gcc
    COMPILER="aarch64-linux-gnu-gcc --sysroot=$("$PATCHES/sysroot.sh")"
    OPTIONS+=(--host=aarch64-linux-gnu CC="$COMPILER")
    ARCH_OPTIONS+=(CC="$COMPILER")
fi

# Files of the patched tree that the series adds, without the hypervisor's own;
# some of those are compiled into libraries, too.
toolstack_files()
{
    [ "$WHICH" = patched ] || return 0
    awk '/^docs\// { next }
         !/^xen\// || /^xen\/include\/(public|acpi)\// || /\/x86\// ||
         /libelf|elfstructs/ || /^xen\/xsm\/flask\/policy\// { print }' \
        "$TREE/.xensched/manifest"
}

# What the toolstack is made from, as one number.
toolstack_id()
{
    local f

    {
        cat "$TREE/.xensched/base"
        echo "$SUBDIRS ${OPTIONS[*]}"
        toolstack_files | while read -r f; do
            sha256sum "$TREE/$f" 2> /dev/null || echo "gone $f"
        done
    } | sha256sum
}

# What was built with other options does not know that they have changed.
configure()
{
    local d

    if [ -f "$TREE/config/Tools.mk" ]; then
        for d in $SUBDIRS; do
            xen_make "$TREE/tools/$d" clean || return
        done
    fi
    configure_tools "$TREE" "${OPTIONS[@]}"
}

build()
{
    local d

    rm -rf "$DIST.new"
    mkdir -p "$DIST.new/usr/lib/pkgconfig"
    for d in $SUBDIRS; do
        xen_make "$TREE/tools/$d" install DESTDIR="$DIST.new" || return
    done
}

# Both are the same link, or the same file with the same mode.
same()
{
    if [ -L "$1" ] || [ -L "$2" ]; then
        [ "$(readlink "$1")" = "$(readlink "$2")" ]
    else
        [ "$(stat -c %a "$1")" = "$(stat -c %a "$2" 2> /dev/null)" ] &&
            cmp -s "$1" "$2"
    fi
}

# Bring the folder to what was installed in another one beside it.
update_dist()
{
    local f

    mkdir -p "$DIST"
    comm -13 <(cd "$DIST.new" && find . ! -type d | LC_ALL=C sort) \
             <(cd "$DIST" && find . ! -type d | LC_ALL=C sort) |
        (cd "$DIST" && xargs -r -d '\n' rm -f)
    (cd "$DIST.new" && find . -type d -print0) | (cd "$DIST" && xargs -0 mkdir -p)
    (cd "$DIST.new" && find . ! -type d) | while read -r f; do
        if ! same "$DIST.new/$f" "$DIST/$f"; then
            touch -h "$DIST.new/$f"     # newer than all that was built with it
            mv -fT "$DIST.new/$f" "$DIST/$f"
        fi
    done
    rm -rf "$DIST.new"
}

need make gcc flex bison python3 perl iasl flock
lock
[ -f "$TREE/.xensched/base" ] ||
    die "There is no $WHICH tree." "'make xen xen-native' makes it."
has_configure "$TREE" || need autoconf autoheader
id=$(toolstack_id)
if [ -d "$DIST" ] && [ "$(cat "$STAMP" 2> /dev/null)" = "$id" ]; then
    exit
fi
rm -f "$STAMP"
if [ "$(cat "$CONFIGURED" 2> /dev/null)" != "${OPTIONS[*]}" ]; then
    stage "Xen toolstack ($WHICH): configure" "toolstack-$WHICH-configure" configure
    echo "${OPTIONS[*]}" > "$CONFIGURED"
fi
stage "Xen toolstack ($WHICH): build, install in build/${DIST##*/}" \
    "toolstack-$WHICH" build
update_dist
echo "$id" > "$STAMP"
