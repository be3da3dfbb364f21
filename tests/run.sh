#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `make test` does after `make setup`: builds everything, and runs every suite.
# With --full, what `make test-full` does: the same, with all that its tests can do,
# and those that take too long before a commit.
#
# A suite is a command that writes TAP; what it wrote is kept in build/test/.  Those
# which need one CPU and no clock are in a lane: one after the other, beside all else,
# whenever a CPU has nothing better to do.  What such a one wrote is shown when it
# has ended.  The last line is the sum, "N passed, N failed, N skipped".
#
# One suite that fails does not keep the others from running; a build that
# fails does, except for arm64's, without which the suites for arm64 do not run.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/.." && pwd -P)
OUT=$TOP/build/test
FULL=${1:-}
cd "$TOP"
. tests/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL   # each build takes all CPUs
begun=()

# trouble WHAT: a failure that no suite reports itself.
trouble() { echo "not ok - $1" | tee -a "$OUT/run.tap"; }

# judge NAME EXIT-CODE COMMAND...: of a suite that has ended.
judge()
{
    local tap=$OUT/$1.tap

    if [ "$2" -ne 0 ] && ! grep -q '^not ok' "$tap"; then
        trouble "$1: '${*:3}' ended with exit code $2"
    elif ! grep -qE '^(ok|not ok|1\.\.0)' "$tap"; then
        trouble "$1: '${*:3}' wrote no result"
    fi
}

# timed WHAT COMMAND...: says what it took, the time of a CPU as user + system.
timed()
{
    local what=$1 rc=0 used TIMEFORMAT='%0R s, %0U + %0S s of a CPU'

    shift
    { used=$({ time "$@" >&3 2>&4; } 2>&1); } 3>&1 4>&2 || rc=$?
    echo "== $what took $used"
    return "$rc"
}

keep_tap() { "${@:2}" | tee "$OUT/$1.tap"; }

# do_suite NAME COMMAND...
do_suite()
{
    local name=$1 rc=0

    echo "== $name"
    timed "$name" keep_tap "$@" || rc=$?
    judge "$name" "$rc" "${@:2}"
}

# lane: suites from standard input, a line each: its name and the command.
lane()
{
    local name command said
    declare -a words

    renice -n 19 "$BASHPID" > /dev/null
    while read -r name command; do
        read -ra words <<< "$command"
        said=$(do_suite "$name" "${words[@]}" 2>&1 < /dev/null)
        printf '%s\n' "$said"
        : > "$OUT/$name.ended"
    done
}

# begin COMMAND...: in a process group, to be ended with all that it started.
begin()
{
    set -m
    "$@" &
    set +m
    begun+=($!)
}

# do_now COMMAND...: before anything else.  (The shell looks at a signal only while it
# waits for a job, not for a command.)
do_now()
{
    local rc=0

    begin "$@" < /dev/null
    wait "$!" || rc=$?
    unset 'begun[-1]'   # another process may get its number soon
    return "$rc"
}

suite() { do_now do_suite "$@"; }

# begin_lane: of what is in standard input.
begin_lane()
{
    local suites

    suites=$(cat)
    awk '{ print $1 }' <<< "$suites" >> "$OUT/lanes"
    begin lane <<< "$suites"
}

end_all()
{
    local job

    for job in "${begun[@]}"; do
        kill -TERM -- "-$job" 2> /dev/null || :
    done
    wait
}

# wait_for_lanes: and what did not run to its end is a failure by name.
wait_for_lanes()
{
    local name

    wait
    begun=()
    while read -r name; do
        [ -e "$OUT/$name.ended" ] || trouble "$name: it did not run to its end"
    done < "$OUT/lanes"
}

# step WHAT COMMAND...: as a suite of one result.
step()
{
    echo 1..1
    check "$@"
}

full() { [ "$FULL" = --full ]; }

summary() { tests/tap-summary.sh "$OUT"/*.tap; }

# try_build TARGET...: with make; a failure is one failed test.
try_build()
{
    echo "== make $*"
    do_now timed "make $*" make "$@" && return
    trouble "make $* failed"
    return 1
}

# build TARGET...: nothing can be tested without them.
build()
{
    try_build "$@" && return
    end_all
    summary
    exit 1
}

if full; then
    echo "test-full: this takes about four hours on two CPUs"
    export FUZZ_SECONDS=600 TEST_FULL=1
fi
rm -rf "$OUT"
mkdir -p "$OUT"
trap end_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
begin_lane << 'END'
modules tests/drivers/run.t
build   tests/build/run.t
depend  tests/build/depend.t
lint    step lint make lint
END
build xen
build tools
build xen-native
build drivers
arm64=
! try_build tools drivers XEN_ARCH=arm64 || arm64=built
begin_lane << 'END'
mutants tests/fuzz/mutants.t
fuzz    tests/fuzz/fuzz.t
sites   python3 tests/sites/check-sites.py build/xen/patched/xen/xen-syms build/xen/native/xen/xen-syms
handler python3 tests/sites/check-handler.py build/xen/patched/xen/common/schedlog/sites.o build/xen/patched/xen/common/schedlog/stay.o build/xen/patched/xen/common/schedlog/wait.o build/xen/patched/xen/common/schedlog/off.o build/xen/patched/xen/common/schedlog/work.o build/xen/patched/xen/common/schedlog/record.o
init    python3 tests/sites/check-init.py build/xen/patched
flask   tests/sites/flask.sh
service tests/service/service.t
scripts tests/packages/scripts.t
series  tests/series/series.t
upstream tests/series/upstream.t
END
suite unit    make unit
suite metrics tests/metrics/metrics.t
suite fleet   tests/metrics/fleet.t
if full; then
    suite compilers  tests/build/compilers.sh
    suite config-off tests/sites/config-off.sh all
else
    begin_lane <<< "config-off tests/sites/config-off.sh"
fi
if full && [ -n "$arm64" ] && try_build xen-native XEN_ARCH=arm64; then
    suite programs-arm64 tests/build/programs-arm64.sh
    suite sites-arm64 python3 tests/sites/check-sites.py \
        build/arm64/xen/patched/xen/xen-syms build/arm64/xen/native/xen/xen-syms
fi
! full || suite machine step "the QEMU of mode timed is built" make machine
# shellcheck disable=SC2086 # an option, or none
suite host    tests/host/run-tests.sh $FULL
if [ -n "$arm64" ]; then
    # shellcheck disable=SC2046 # several words
    suite host-arm64 env XEN_ARCH=arm64 tests/host/run-tests.sh \
        $(full && echo --full || echo log-events log-evtchn log-grants ring-blkback \
            daemon timeline lease)
fi
if full; then
    suite flask-host tests/host/flask.sh
    [ -z "$arm64" ] || suite llc-colours tests/host/llc-colours.sh
    suite trace-points tests/host/trace-points.sh
    suite trace-pairs tests/host/trace-pairs.sh
    suite soft-weight tests/host/soft-weight.sh
    suite stock-host tests/host/stock.sh
    suite debug-host tests/host/debug.sh
    suite fleet-hosts tests/metrics/fleet-hosts.t
    suite checked-kernel tests/host/checked-kernel.sh
    suite demo       step "make demo" tests/host/demo.sh
    suite linux-6.12 tests/drivers/test.sh 6.12
    suite debian-13  tests/chroot.sh trixie
    suite packages   tests/packages/packages.sh
    suite packages-arm64 tests/packages/arm64.sh
    suite upgrade    tests/packages/upgrade.sh
    suite boot       tests/packages/boot.sh
    suite boot-uefi  tests/packages/boot.sh --uefi
    suite updates    step "no Debian has a newer Xen than the pins" make check-updates
    suite releases   tests/series/releases.t
    suite prefixes   step "every prefix of the series builds" \
        make xen-series-check
fi
wait_for_lanes
full || timeout 60 make check-updates || echo "(make check-updates: see above)"
summary
