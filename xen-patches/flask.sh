#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A second patched hypervisor, with XSM and FLASK, and two policies for it:
#
#   build/xen/flask/xen/xen
#   build/xen/flask/policy/stock      the policy of the series
#   build/xen/flask/policy/without    the same, but nobody may use the log
#
# It is for tests of permissions (tests/host/flask.sh).  What is built is
# kept; only files of the patched tree that have changed are compiled again.
# Needs `make xen`.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/xenmake.sh"

PATCHED=$XEN/patched
TREE=$XEN/flask

# Bring TREE's sources up to date with the patched tree, which this began as a
# copy of: the manifest says which files can differ from those of Xen.
copy_patched()
{
    local f

    if ! cmp -s "$PATCHED/.xensched/manifest" "$TREE/.xensched/manifest" ||
       ! cmp -s "$PATCHED/.xensched/base" "$TREE/.xensched/base"; then
        rm -rf "$TREE" "$TREE.tmp"
        cp -a "$PATCHED" "$TREE.tmp"
        mv "$TREE.tmp" "$TREE"
    fi
    while read -r f; do
        cmp -s "$PATCHED/$f" "$TREE/$f" || cp "$PATCHED/$f" "$TREE/$f"
    done < "$PATCHED/.xensched/manifest"
}

# No policy in the hypervisor itself: it is booted with one or the other.
configure()
{
    local new=$TREE/xen/.config.new

    { grep -v 'CONFIG_XSM' "$PATCHED/xen/.config"
      printf 'CONFIG_XSM%s=y\n' '' _FLASK _FLASK_DEFAULT
      echo '# CONFIG_XSM_FLASK_POLICY is not set'; } > "$new"
    xen_make "$TREE/xen" KCONFIG_CONFIG=.config.new olddefconfig || return
    cmp -s "$new" "$TREE/xen/.config" || mv "$new" "$TREE/xen/.config"
    rm -f "$new" "$new.old"
    grep -qx 'CONFIG_XSM_FLASK=y' "$TREE/xen/.config"
}

hypervisor() { xen_make "$TREE/xen"; }

# policy NAME: from the sources as they are in TREE.
policy()
{
    local out=$TREE/policy/$1

    xen_env "$TREE" make -C "$TREE/tools/flask/policy" -f Makefile.common -B \
        FLASK_BUILD_DIR="$TREE/policy/$1.build" POLICY_FILENAME="$out.new"
    mv "$out.new" "$out"
}

# What the second one lacks is taken out of TREE's copy of the modules, which
# copy_patched() mends the next time.
policies()
{
    local rights='schedlog_op|schedlog_bind' modules

    mkdir -p "$TREE"/policy/{stock,without}.build
    modules=("$TREE"/tools/flask/policy/modules/*.{te,if})
    policy stock &&
    sed -i -E "s/\<($rights)\>//g" "${modules[@]}" &&
    policy without
}

[ -f "$PATCHED/xen/xen-syms" ] ||
    die "There is no patched Xen to begin with: $PATCHED" "Run make xen first."
need make gcc ld bison flex python3 flock m4 checkpolicy

lock
copy_patched
stage "Xen configuration (flask)" config-flask configure
stage "Xen hypervisor (flask)" hypervisor-flask hypervisor
stage "FLASK policies" policies policies
