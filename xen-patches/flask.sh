#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A second patched hypervisor, with XSM and FLASK, and policies for it:
#
#   build/xen/flask/xen/xen
#   build/xen/flask/policy/stock      the policy of the series
#   build/xen/flask/policy/no-mark    the same, but no domain may allow marks
#   build/xen/flask/policy/reader     ... nor control the log, bind domains, or ask
#                                     whose memory is where
#   build/xen/flask/policy/without    ... nor read it
#
# It is for tests of permissions (tests/host/flask.sh).  What is built is
# kept; only files of the patched tree that have changed are compiled again.
# Needs `make xen`.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/xenmake.sh"
. "$PATCHES/lib/variant.sh"
no_arguments "$@"

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

# deny RIGHTS: in all policies that are made from now on.  It is taken out of TREE's
# copy of the modules, which variant_sources() mends the next time.
deny()
{
    sed -i -E "s/\<schedlog_($1)\>//g" "$TREE"/tools/flask/policy/modules/*.{te,if}
}

policies()
{
    mkdir -p "$TREE"/policy/{stock,no-mark,reader,without}.build
    policy stock &&
    deny mark && policy no-mark &&
    deny 'control|bind|memory' && policy reader &&
    deny read && policy without
}

variant_need_patched
need make gcc ld bison flex python3 flock m4 checkpolicy

lock
variant_sources "$TREE"
stage "Xen configuration (flask)" config-flask configure
stage "Xen hypervisor (flask)" hypervisor-flask hypervisor
stage "FLASK policies" policies policies
