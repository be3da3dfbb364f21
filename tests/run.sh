#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `make test` does after `make setup`: every suite, cheap ones first.
# A suite is a command that writes TAP; what it wrote is kept in build/test/.
# The last line is the sum, "N passed, N failed, N skipped".
#
# One suite that fails does not keep the others from running; a build that
# fails does.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/.." && pwd -P)
OUT=$TOP/build/test
cd "$TOP"
unset MAKEFLAGS MFLAGS MAKELEVEL   # each build takes all CPUs

# trouble WHAT: a failure that no suite reports itself.
trouble() { echo "not ok - $1" | tee -a "$OUT/run.tap"; }

# suite NAME COMMAND...
suite()
{
    local name=$1 rc=0 start=$SECONDS

    shift
    echo "== $name"
    "$@" | tee "$OUT/$name.tap" || rc=$?
    if [ "$rc" -ne 0 ] && ! grep -q '^not ok' "$OUT/$name.tap"; then
        trouble "$name: '$*' ended with exit code $rc"
    elif ! grep -qE '^(ok|not ok|1\.\.0)' "$OUT/$name.tap"; then
        trouble "$name: '$*' wrote no result"
    fi
    echo "== $name took $((SECONDS - start)) s"
}

summary() { tests/tap-summary.sh "$OUT"/*.tap; }

# build TARGET...: with make; nothing can be tested without it.
build()
{
    echo "== make $*"
    make "$@" && return
    trouble "make $* failed"
    summary
    exit 1
}

rm -rf "$OUT"
mkdir -p "$OUT"
suite build   tests/build/run.t
build xen
suite series  tests/series/series.t
suite unit    make unit
suite metrics tests/metrics/metrics.t
build xen-native
suite sites   python3 tests/sites/check-sites.py \
    build/xen/patched/xen/xen-syms build/xen/native/xen/xen-syms
suite handler python3 tests/sites/check-handler.py \
    build/xen/patched/xen/common/schedlog/{sites,stay,record}.o
suite init    python3 tests/sites/check-init.py build/xen/patched
suite config-off tests/sites/config-off.sh
suite flask   tests/sites/flask.sh
build tools
suite service tests/service/service.t
suite fuzz    tests/fuzz/fuzz.t
suite mutants tests/fuzz/mutants.t
suite modules tests/drivers/run.t
build drivers
suite host    tests/host/run-tests.sh
summary
