#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the series has for FLASK compiles, although the hypervisor that is built
# by default has no FLASK: the policy with its new rights, and the hooks which
# ask for them.  What they do is seen by `make flask`, which takes longer.
#
# Needs `make xen` and checkpolicy.  Writes TAP.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/xen-patches/lib/paths.sh"
. "$PATCHES/lib/xenmake.sh"
. "$TOP/tests/tap.sh"
. "$TOP/tests/sites/as-built.sh"

TREE=$XEN/patched
need m4 checkpolicy
lock
OUT=$(mktemp -d "$XEN/flask-test.XXXXXX")
trap 'rm -rf "$OUT"' EXIT

policy()
{
    xen_env "$TREE" make -C "$TREE/tools/flask/policy" -f Makefile.common \
        FLASK_BUILD_DIR="$OUT" POLICY_FILENAME="$OUT/policy"
}

# Headers which Xen makes from the classes and vectors of FLASK.
vectors()
{
    local flask=$TREE/xen/xsm/flask/policy

    mkdir -p "$OUT/include"
    sh "$flask/mkflask.sh" awk "$OUT/include" "$flask/security_classes" \
        "$flask/initial_sids" &&
    sh "$flask/mkaccess_vector.sh" awk "$OUT/include" "$flask/access_vectors"
}

# As any other file, but with FLASK in the configuration.
hooks()
{
    local command

    mkdir -p "$OUT/include/generated"
    cat "$TREE/xen/include/generated/autoconf.h" - \
        > "$OUT/include/generated/autoconf.h" <<'END'
#define CONFIG_XSM 1
#define CONFIG_XSM_FLASK 1
END
    command=$(command_of patched common/domain.o)
    (cd "$TREE/xen" &&
         eval "${command/#gcc/gcc -I $OUT/include -iquote $OUT/include}" \
             -Ixsm/flask/include xsm/flask/hooks.c -o "$OUT/hooks.o")
}

echo 1..3
check "the FLASK policy compiles" policy
check "its classes and vectors compile" vectors
check "and the hooks which use them" hooks
