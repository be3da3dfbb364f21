#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build Xen after every patch: of the whole series, and of each series to xen-devel.  All
# happens in one tree, build/xen/prefix.  Each kind of build takes minutes; ccache helps a
# lot.
#
#   series-check.sh [SERIES...]    product, or a name in upstream/series; otherwise all
#
# KINDS selects the builds: x86-gcc-release (by default), others, or all of them.
#
#   ARCHITECTURE-COMPILER-TYPE   the hypervisor; debug builds have FLASK, with its policy.
#                                Xen's README lists no clang for arm64, so no kind has it.
#   tools-COMPILER               what the patches change of the toolstack, for x86, with Go
#                                bindings; the log's in-tree test runs
#
# A patch that changes nothing that a kind builds has no build.  LAST=y builds after the last
# patch of a series only.
#
# What has passed is kept in build/series-check.passed and is not built again: an
# interrupted check continues.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/git.sh"
. "$PATCHES/lib/series.sh"
. "$PATCHES/lib/xenmake.sh"
. "$PATCHES/lib/configure.sh"

REPO=$XEN/prefix
PASSED=$BUILD/series-check.passed
ALL=$(echo {x86-{gcc,clang},arm64-gcc}-{release,debug} tools-{gcc,clang})
KINDS=${KINDS:-x86-gcc-release}
[ "$KINDS" != all ] || KINDS=$ALL

# select_kind NAME: sets the compiler, the variables of make, the lines of the hypervisor's
# configuration, the paths that the kind is built from, and the function that builds it.
select_kind()
{
    [[ " $ALL " == *" $1 "* ]] || die "There is no kind of build called $1." "Known: $ALL all"
    variables=() what=hypervisor paths=(xen tools/flask/policy Config.mk config)
    # Debug information takes a third of the time, and changes no instruction.
    options=('# CONFIG_DEBUG_INFO is not set')
    case $1 in
    arm64-*) compiler=aarch64-linux-gnu-gcc
             variables=(XEN_TARGET_ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-) ;;
    *-clang*) compiler=clang variables=(clang=y) ;;
    *)       compiler=gcc ;;
    esac
    case $1 in
    *-debug) need checkpolicy
             options+=(CONFIG_DEBUG=y CONFIG_XSM=y CONFIG_XSM_FLASK=y) ;;
    tools-*) need go
             what=toolstack
             paths=(tools Config.mk config m4 xen/include xen/common/schedlog/record.c) ;;
    esac
    need "$compiler"
}

# Only a configuration that differs is written, so that make compiles what it must.
configure()
{
    local dir=$REPO/xen option

    xen_make "$dir" "${variables[@]}" KCONFIG_CONFIG=.config.new defconfig &&
    { cat "$RELEASE_DIR/config"; printf '%s\n' "${options[@]}"; } >> "$dir/.config.new" &&
    xen_make "$dir" "${variables[@]}" KCONFIG_CONFIG=.config.new olddefconfig || return
    for option in "${options[@]:1}"; do
        grep -xF -- "$option" "$dir/.config.new" || return
    done
    cmp -s "$dir/.config.new" "$dir/.config" || cp "$dir/.config.new" "$dir/.config"
    rm -f "$dir/.config.new" "$dir/.config.new.old"
}

# What the configuration is made from, as one number.
config_id()
{
    git -C "$REPO" ls-tree -r HEAD -- xen | grep -E '/(Kconfig|configs/)' | sha256sum
}

hypervisor()
{
    { [ -f "$REPO/xen/.config" ] && [ "$configured" = "$(config_id)" ]; } || configure || return
    configured=$(config_id)
    xen_make "$REPO/xen" "${variables[@]}"
}

toolstack()
{
    local dir

    [ -f "$REPO/config/Tools.mk" ] ||
        configure_tools "$REPO" "${TOOLS_OPTIONS[@]}" CC="$compiler" || return
    for dir in include libs xentrace xl golang/xenlight; do
        xen_make "$REPO/tools/$dir" "${variables[@]}" || return
    done
    [ ! -d "$REPO/tools/tests/schedlog" ] ||
        xen_make "$REPO/tools/tests/schedlog" "${variables[@]}" run
}

# All that a commit is built from, as one number.
id()
{
    { echo "$kind ${options[*]}"
      "$compiler" --version
      cat "$RELEASE_DIR/config"
      git -C "$REPO" ls-tree "$1" -- "${paths[@]}"; } | sha256sum | cut -d ' ' -f 1
}

# build COMMIT: after this commit
build()
{
    local id label

    id=$(id "$1")
    label="$kind: $(git -C "$REPO" log -1 --format=%s "$1" | cut -c 1-60)"
    if grep -qs "^$id " "$PASSED"; then
        echo "  $label: passed before"
        return
    fi
    [ "$kind" = "$in_tree" ] || git -C "$REPO" clean -xfdq -e /.xensched
    in_tree=$kind
    # make has perhaps written the Go bindings.
    git -C "$REPO" checkout -qf --detach "$1"
    stage "$label" prefix "$what"
    echo "$id $(date +%F) $label" >> "$PASSED"
}

# commit_series NAME: its patches as commits on what it needs, with its name as a tag.
commit_series()
{
    local before

    ! git -C "$REPO" rev-parse -q --verify "$1" > /dev/null || return 0
    if [ "$1" = product ]; then
        git -C "$REPO" checkout -q --detach base
        am_series "$REPO"
    else
        before=$(upstream_base "$1")
        [ "$before" = base ] || commit_series "$before"
        git -C "$REPO" checkout -q --detach "$before"
        upstream_patches "$1" | xargs git -C "$REPO" am -q --no-gpg-sign --keep-cr
    fi
    git -C "$REPO" tag "$1"
}

# commits NAME: those of a series that change what the kind is built from, the oldest first
commits()
{
    local base=base

    [ "$1" = product ] || base=$(upstream_base "$1")
    git -C "$REPO" rev-list --reverse "$base..$1" -- "${paths[@]}" |
        if [ -n "${LAST:-}" ]; then tail -n 1; else cat; fi
}

need git make gcc ld bison flex python3 flock
# Before the first build, which takes minutes.
for kind in $KINDS; do
    select_kind "$kind"
done
for name; do
    { echo product; upstream_names; } | grep -xF -- "$name" > /dev/null ||
        die "There is no series called $name." "Known: product $(upstream_names | paste -sd ' ')"
done
"$PATCHES/tree.sh" pristine
series_check
refuse_unnamed
"$PATCHES/upstream.sh"
lock
rm -rf "$REPO"
cp -a "$XEN/pristine" "$REPO"
repo_from_pristine "$REPO"
names=("$@")
if [ $# -eq 0 ]; then
    names=(product)
    # What is too old for xen-devel has no such series.
    for name in $(upstream_names); do
        [ ! -d "$BUILD/series/$name" ] || names+=("$name")
    done
fi
for name in "${names[@]}"; do
    commit_series "$name"
done
in_tree=none configured=
for kind in $KINDS; do
    select_kind "$kind"
    for name in "${names[@]}"; do
        for commit in $(commits "$name"); do
            build "$commit"
        done
    done
done
rm -rf "$REPO"
echo "Every prefix builds (${KINDS// /, }): ${names[*]}"
