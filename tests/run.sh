#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `make test` does after `make setup`: every suite, cheap ones first.  With
# --full, what `make test-full` does: the same, with all that its tests can do, and
# those that nobody wants to wait for before a commit.
#
# A suite is a command that writes TAP; what it wrote is kept in build/test/.
# The last line is the sum, "N passed, N failed, N skipped".
#
# One suite that fails does not keep the others from running; a build that
# fails does.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/.." && pwd -P)
OUT=$TOP/build/test
FULL=${1:-}
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

# step WHAT COMMAND...: as a suite of one result.
step()
{
    . "$TOP/tests/tap.sh"
    echo 1..1
    check "$@"
}

full() { [ "$FULL" = --full ]; }

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

if full; then
    echo "test-full: this takes hours"
fi
rm -rf "$OUT"
mkdir -p "$OUT"
suite lint    step "make lint" make lint
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
if full; then
    suite config-off tests/sites/config-off.sh all
else
    suite config-off tests/sites/config-off.sh
fi
suite flask   tests/sites/flask.sh
build tools
suite service tests/service/service.t
if full; then
    export FUZZ_SECONDS=600
fi
suite fuzz    tests/fuzz/fuzz.t
suite mutants tests/fuzz/mutants.t
suite modules tests/drivers/run.t
build drivers
# shellcheck disable=SC2086 # an option, or none
suite host    tests/host/run-tests.sh $FULL
if full; then
    suite flask-host tests/host/flask.sh
    suite debug-host tests/host/debug.sh
    suite demo       step "make demo" tests/host/demo.sh
    suite linux-6.12 tests/drivers/test.sh 6.12
    suite prefixes   step "every prefix of the series builds" \
        make xen-series-check
fi
summary
