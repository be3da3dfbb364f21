#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the hypervisor after every patch that changes it: of the whole series, and of each
# series to xen-devel.  All happens in one tree, build/xen/prefix.  Each kind of build takes
# minutes; ccache helps a lot.
#
#   series-check.sh [SERIES...]    product, or a name in upstream/series; otherwise all
#
# KINDS selects the builds: gcc (by default), debug, clang, arm64, or all of them.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/git.sh"
. "$PATCHES/lib/series.sh"
. "$PATCHES/lib/xenmake.sh"

REPO=$XEN/prefix
KINDS=${KINDS:-gcc}
[ "$KINDS" != all ] || KINDS='gcc debug clang arm64'

# select_kind NAME: sets the variables of make, and the last lines of the configuration.
select_kind()
{
    variables=() options='# CONFIG_DEBUG is not set'
    case $1 in
    gcc)   ;;
    debug) options=CONFIG_DEBUG=y ;;
    clang) need clang; variables=(clang=y) ;;
    arm64) need aarch64-linux-gnu-gcc
           variables=(XEN_TARGET_ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-) ;;
    *)     die "There is no kind of build called $1." "Known: gcc debug clang arm64 all" ;;
    esac
}

# Only a configuration that differs is written, so that make compiles what it must.
configure()
{
    local dir=$REPO/xen

    xen_make "$dir" "${variables[@]}" KCONFIG_CONFIG=.config.new defconfig &&
    { cat "$RELEASE_DIR/config"; echo "$options"; } >> "$dir/.config.new" &&
    xen_make "$dir" "${variables[@]}" KCONFIG_CONFIG=.config.new olddefconfig &&
    grep -qxF -- "$options" "$dir/.config.new" || return
    cmp -s "$dir/.config.new" "$dir/.config" || cp "$dir/.config.new" "$dir/.config"
    rm -f "$dir/.config.new" "$dir/.config.new.old"
}

hypervisor() { configure && xen_make "$REPO/xen" "${variables[@]}"; }

# build COMMIT: after this commit
build()
{
    git -C "$REPO" checkout -q --detach "$1"
    stage "$kind: $(git -C "$REPO" log -1 --format=%s | cut -c 1-60)" prefix hypervisor
}

# commit_series NAME: its patches as commits on what it needs, with its name as a tag.
commit_series()
{
    if [ "$1" = product ]; then
        git -C "$REPO" checkout -q --detach base
        am_series "$REPO"
    else
        git -C "$REPO" checkout -q --detach "$(upstream_base "$1")"
        upstream_patches "$1" | xargs git -C "$REPO" am -q --no-gpg-sign --keep-cr
    fi
    git -C "$REPO" tag "$1"
}

# commits NAME: those of a series that change the hypervisor, the oldest first
commits()
{
    local base=base

    [ "$1" = product ] || base=$(upstream_base "$1")
    git -C "$REPO" rev-list --reverse "$base..$1" -- xen Config.mk config
}

need git make gcc ld bison flex python3 flock
# Before the first build, which takes minutes.
for kind in $KINDS; do
    select_kind "$kind"
done
for name; do
    { echo product; upstream_names; } | grep -qxF -- "$name" ||
        die "There is no series called $name." "Known: product $(upstream_names | paste -sd ' ')"
done
"$PATCHES/series.sh"
"$PATCHES/upstream.sh"
lock
rm -rf "$REPO"
cp -a "$XEN/pristine" "$REPO"
repo_from_pristine "$REPO"
names=(product)
# What is too old for xen-devel has no such series.
for name in $(upstream_names); do
    [ ! -d "$BUILD/series/$name" ] || names+=("$name")
done
for name in "${names[@]}"; do
    commit_series "$name"
done
[ $# -eq 0 ] || names=("$@")
for kind in $KINDS; do
    select_kind "$kind"
    rm -f "$REPO/xen/.config"
    xen_make "$REPO/xen" distclean > /dev/null
    for name in "${names[@]}"; do
        for commit in $(commits "$name"); do
            build "$commit"
        done
    done
done
rm -rf "$REPO"
echo "Every prefix builds (${KINDS// /, }): ${names[*]}"
