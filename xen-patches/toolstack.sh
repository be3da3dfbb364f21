#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the toolstack of the patched tree, as far as a host with PV guests
# needs it, and install it (prefix /usr) under build/dist: headers, libraries,
# xl, xenstored, xenconsoled, xentrace and the small helpers.
#
# Nothing runs when no file that the toolstack is made from has changed.  In
# build/dist only files whose content differs are written, so that what is
# built against its headers is rebuilt only when it must be.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/xenmake.sh"

TREE=$XEN/patched
SUBDIRS='include libs xs-clients xenstored misc xentrace console xl helpers'
STAMP=$TREE/.xensched/toolstack
CONFIGURED=$TREE/.xensched/configure

# Everything optional is off, and what happens to be installed makes no
# difference: pkg-config and the headers of optional libraries are not found.
OPTIONS=(--prefix=/usr --libdir=/usr/lib --sysconfdir=/etc --localstatedir=/var
    --disable-xen --disable-stubdom --disable-docs --disable-systemd
    --disable-monitors --disable-ocamltools --disable-xsmpolicy --disable-ovmf
    --disable-seabios --disable-golang --disable-pygrub --disable-ipxe
    --disable-rombios --disable-libfsimage --disable-pvshim
    --disable-qemu-traditional --disable-9pfs
    --with-system-qemu=/usr/bin/qemu-system-x86_64
    PKG_CONFIG=false ac_cv_header_bzlib_h=no ac_cv_header_lzo_lzo1x_h=no
    ac_cv_header_valgrind_memcheck_h=no)

# Of what the patched tree has from us, all but the hypervisor's own files;
# some of those are compiled into libraries, too.
toolstack_files()
{
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
    (cd "$TREE" && xen_env "$TREE" ./configure "${OPTIONS[@]}")
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

# Bring build/dist to what was installed in build/dist.new.
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
[ -f "$TREE/.xensched/manifest" ] ||
    die "There is no patched tree." "'make xen' makes it."
id=$(toolstack_id)
if [ -d "$DIST" ] && [ "$(cat "$STAMP" 2> /dev/null)" = "$id" ]; then
    exit
fi
rm -f "$STAMP"
if [ "$(cat "$CONFIGURED" 2> /dev/null)" != "${OPTIONS[*]}" ]; then
    stage "Xen toolstack: configure" toolstack-configure configure
    echo "${OPTIONS[*]}" > "$CONFIGURED"
fi
stage "Xen toolstack: build and install into build/dist" toolstack build
update_dist
echo "$id" > "$STAMP"
