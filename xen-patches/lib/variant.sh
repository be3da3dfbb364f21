# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Hypervisors of the patched tree with another configuration, each in a tree of its
# own that is kept: only what has changed is compiled again.  Needs $XEN, paths.sh
# and xenmake.sh.

PATCHED=$XEN/patched

# variant_sources TREE: bring its sources up to date with the patched tree, which it
# began as a copy of: the manifest says which files can differ from those of Xen.
variant_sources()
{
    local f

    if ! cmp -s "$PATCHED/.xensched/manifest" "$1/.xensched/manifest" ||
       ! cmp -s "$PATCHED/.xensched/base" "$1/.xensched/base"; then
        rm -rf "$1" "$1.tmp"
        cp -a "$PATCHED" "$1.tmp"
        mv "$1.tmp" "$1"
    fi
    while read -r f; do
        cmp -s "$PATCHED/$f" "$1/$f" || cp "$PATCHED/$f" "$1/$f"
    done < "$PATCHED/.xensched/manifest"
}

# variant_configure TREE PATTERN OPTION...: the configuration of the patched tree with
# these lines in place of those that match; the first of them must have been taken.
variant_configure()
{
    local tree=$1 pattern=$2 new=$1/xen/.config.new

    shift 2
    { grep -vE "$pattern" "$PATCHED/xen/.config"
      printf '%s\n' "$@"; } > "$new"
    xen_make "$tree/xen" KCONFIG_CONFIG=.config.new olddefconfig || return
    cmp -s "$new" "$tree/xen/.config" || mv "$new" "$tree/xen/.config"
    rm -f "$new" "$new.old"
    grep -qxF -- "$1" "$tree/xen/.config"
}

variant_need_patched()
{
    [ -f "$PATCHED/xen/xen-syms" ] ||
        die "There is no patched Xen to begin with: $PATCHED" "Run make xen first."
}
