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
. "$PATCHES/lib/variant.sh"

TREE=$XEN/flask

# No policy in the hypervisor itself: it is booted with one or the other.
configure()
{
    variant_configure "$TREE" CONFIG_XSM CONFIG_XSM_FLASK=y CONFIG_XSM=y \
        CONFIG_XSM_FLASK_DEFAULT=y '# CONFIG_XSM_FLASK_POLICY is not set'
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
# variant_sources() mends the next time.
policies()
{
    local rights='schedlog_(read|control|bind|mark)' modules

    mkdir -p "$TREE"/policy/{stock,without}.build
    modules=("$TREE"/tools/flask/policy/modules/*.{te,if})
    policy stock &&
    sed -i -E "s/\<($rights)\>//g" "${modules[@]}" &&
    policy without
}

variant_need_patched
need make gcc ld bison flex python3 flock m4 checkpolicy

lock
variant_sources "$TREE"
stage "Xen configuration (flask)" config-flask configure
stage "Xen hypervisor (flask)" hypervisor-flask hypervisor
stage "FLASK policies" policies policies
