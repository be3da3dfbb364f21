#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# build.sh TREE: build the hypervisor of a Xen tree in place, as TREE/xen/xen
# and TREE/xen/xen-syms.  The configuration is Xen's default one and the
# options of xen-patches/<release>/config, as far as the tree knows them.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/xenmake.sh"
. "$PATCHES/lib/version.sh"

# What the configuration is made from, as one number.
config_id()
{
    (cd "$TREE/xen" && {
        cat "$RELEASE_DIR/config"
        find . -name 'Kconfig*' -type f -print0 | LC_ALL=C sort -z |
            xargs -0 sha256sum
        cat arch/*/configs/*
    } | sha256sum)
}

# Make xen/.config.  The file stays untouched when it would not change.
configure()
{
    local new=$TREE/xen/.config.new rc=0

    rm -f "$new"
    xen_make "$TREE/xen" KCONFIG_CONFIG=.config.new defconfig &&
    cat "$RELEASE_DIR/config" >> "$new" &&
    xen_make "$TREE/xen" KCONFIG_CONFIG=.config.new olddefconfig &&
    { cmp -s "$new" "$TREE/xen/.config" || mv "$new" "$TREE/xen/.config"; } || rc=$?
    rm -f "$new" "$new.old"
    return "$rc"
}

# An option that the tree knows must have come out as it was asked for.  One that is
# turned off need not be there: another architecture can have it.
check_config()
{
    local line name

    while read -r line; do
        name=$(grep -o 'CONFIG_[A-Z0-9_]*' <<< "$line") || continue
        grep -qrE "^(menu)?config ${name#CONFIG_}\$" "$TREE/xen" \
            --include='Kconfig*' || continue
        { [[ $line = '#'* ]] && ! grep -q "^$name=" "$TREE/xen/.config"; } ||
            grep -qxF -- "$line" "$TREE/xen/.config" ||
            die "Xen's configuration did not take this option: $line" \
                "See what it depends on in Xen's Kconfig files, and" \
                "$RELEASE_DIR/config."
    done < <(grep -E '^(CONFIG_|# CONFIG_.* is not set)' "$RELEASE_DIR/config")
}

# Xen reports the content of .scmversion as its changeset; only the patched tree has a
# manifest.
name_changeset()
{
    local name=$TREE/.scmversion

    [ -f "$TREE/.xensched/manifest" ] || return 0
    echo "xensched $(tree_version "$TREE")" | cut -c 1-63 > "$name.new"
    mv "$name.new" "$name"
}

hypervisor() { xen_make "$TREE/xen"; }

[ -f "${1:-}/xen/Makefile" ] || die "usage: build.sh TREE (a Xen source tree)"
TREE=$(realpath "$1")
name=$(basename "$TREE")
need make gcc ld bison flex python3 flock
[ "$ARCH" = x86_64 ] || need aarch64-linux-gnu-gcc

lock
mkdir -p "$TREE/.xensched"
stamp=$TREE/.xensched/config
id=$(config_id)
if [ ! -f "$TREE/xen/.config" ] || [ "$(cat "$stamp" 2> /dev/null)" != "$id" ]
then
    stage "Xen configuration ($name)" "config-$name" configure
    check_config
    echo "$id" > "$stamp"
fi
name_changeset
stage "Xen hypervisor ($name)" "hypervisor-$name" hypervisor
