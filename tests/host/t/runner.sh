#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# box: none
#
# run-tests.sh loses no failure: however a box ends, its test passes only if it printed its plan and
# kept it.  A script that ends in each of these ways stands in for the box.  Fails if a result can
# vanish, or if more than one failure of an emulator is forgiven.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../dom0/usr/lib/box/tap.sh
. "$here/dom0/usr/lib/box/tap.sh"
# shellcheck disable=SC2034 # for test-plan.sh
BOX_ARCH=x86_64
# shellcheck source=../lib/test-plan.sh
. "$here/lib/test-plan.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BOX_TESTS=$work/t BOX_RESULTS=$work/results BOX_HOST=$work/host
export BOX_COMMAND=$work/box

# The box: does what the test says, and writes its console where a box does.
cat >"$work/box" <<'END'
#!/bin/bash
mkdir -p "$BOX_RUNS/last"
cd "$BOX_RUNS/last" || exit
: >console.log
echo "box: started" >&2
. "${@: -1}"
END
chmod +x "$work/box"

# begin: removes tests and results.
begin()
{
    rm -rf "$work/t" "$work/results"
    mkdir "$work/t"
}

# a_test NAME LINE...: makes a test, with what its box does.
a_test()
{
    local name=$1

    shift
    printf '%s\n' "$@" >"$work/t/$name.sh"
}

# run: runs all of them; $code is the exit code.
run()
{
    code=0
    timeout 60 "$here/run-tests.sh" "$@" >"$work/output" 2>"$work/messages" ||
        code=$?
}

# says WORDS: whether its output has them.
says()
{
    grep -q -- "$1" "$work/output" || {
        cat "$work/output" "$work/messages"
        return 1
    }
}

# red NAME WORDS: checks that this test failed, and why.
red()
{
    says "^not ok [0-9]* - $1: $2"
}

begin
a_test fine 'echo "ok - it works"' 'echo 1..1'
run
is "a test that keeps its plan passes" "$code" 0
check "its result has its name" says '^ok 1 - fine: it works$'
check "and stays in its folder" grep -q '^ok - fine: it works$' \
    "$work/results/fine/tap"
check "its time is in its folder" test -s "$work/results/fine/time"

begin
a_test options 'echo "ok - $*" | sed "s/--timeout.*//"' 'echo 1..1'
run --host "--guests pvh --cores 1"
check "its host has the given options after its own" \
    says "options: $test_default_host --guests pvh --cores 1"
run --host
is "missing options are wrong use" "$code" 64

begin
limit='echo "ok - $(cat "${@: -2:1}") s, $*" | sed "s/ [^ ]*run-test.*//"; echo 1..1'
a_test fast '# time: 100' "$limit"
a_test exact '# box: --mode exact' '# time: 100' "$limit"
run
check "a test has its own time limit, and its box some more" \
    says "fast: 100 s, .*--timeout 340$"
check "in exact mode, in which dom0's clock may jump, five times as much" \
    says "exact: 500 s, .*--timeout 740$"

begin
a_test fine 'echo "ok - it works"' 'echo 1..1'
a_test full 'exit 1'
a_test quiet 'exit 0'
a_test killed 'echo "ok - first"' 'kill -9 $$'
a_test early 'echo "ok - first"' 'exit 0'
a_test short 'echo "ok - first"' 'echo 1..2'
a_test code 'echo "ok - first"' 'echo 1..1' 'exit 1'
a_test dies 'echo "ok - first"' 'echo 1..1' 'exit 70'
a_test late 'echo "ok - first"' 'exit 124'
a_test says 'echo "not ok - it fails"' 'echo 1..1' 'exit 1'
a_test panics 'echo "ok - first"' 'echo 1..1' \
    'echo "(XEN) [1.0] Assertion x failed" >console.log'
a_test floods 'echo "ok - first"' 'echo 1..1' \
    'yes "(XEN) [1.0] Assertion x failed" | head -n 100000 >console.log'
a_test oops 'echo "ok - first"' 'echo 1..1' \
    'echo "[    1.000000] BUG: unable to handle page fault" >console.log'
a_test guests 'echo "ok - first"' 'echo 1..1' \
    'echo "(XEN) (d1) [    1.0] BUG: of a guest" >console.log'
run
is "a test that fails makes the suite fail" "$code" 1
check "a box that ends with 1 and no result" red full "it ended early, exit code 1"
check "a box without output" red quiet "it ended early, exit code 0"
check "a box that is killed" red killed \
    "it took too long, or was killed, after \"first\""
check "a test that ends before its plan" red early "it ended early"
check "a test with fewer results than planned" red short "planned 2, did 1"
check "a test that prints ok and fails" red code "exit code 1"
check "a host that dies at the end" red dies "the host died"
check "the place where a test hangs is reported" red late "it took too long, after \"first\""
check "a test that reports its failure" red says "it fails"
check "an assertion of Xen's" red panics "Xen or dom0 complained"
check "and a flood of them" red floods "Xen or dom0 complained"
check "a bug of dom0's" red oops "Xen or dom0 complained"
check "lines on a guest's console do not count" says '^ok [0-9]* - guests: first$'
check "the others pass" says '^ok [0-9]* - fine: it works$'
check "the output of the box is shown" says '^# box: started$'

begin
# The first attempt fails, and the second one does not.
again='[ ! -e ../../again ] && touch ../../again && exit 71'
a_test once "$again" 'echo "ok - it works"' 'echo 1..1'
run
is "one failure of an emulator is forgiven" "$code" 0
check "and reported" says '^# retried once: dom0 did not start$'
is "also in the summary" \
    "$("$here/../tap-summary.sh" "$work/output" | tail -n 1)" \
    "1 passed, 0 failed, 0 skipped, 1 retried"
begin
a_test once "$again" 'echo "ok - it works"' 'echo 1..1'
a_test twice "$again" 'echo "ok - it works"' 'echo 1..1'
run
check "two in a run are a failure" \
    sh -c "! '$here/../tap-summary.sh' '$work/output' >'$work/sum'"
check "the failure names the number of repeated tests" grep -q '2 tests had to be run again' "$work/sum"
begin
a_test always 'exit 72'
run
check "an emulator that always fails is no success" \
    red always "the emulator lost its clock"

begin
a_test one 'touch ../../one' \
    'until [ -e ../../../two/two ]; do sleep 0.1; done; echo "ok - x"; echo 1..1'
a_test two 'touch ../../two' \
    'until [ -e ../../../one/one ]; do sleep 0.1; done; echo "ok - x"; echo 1..1'
if [[ $(test_slots) -gt 1 ]]; then
    run
    is "hosts run beside each other" "$code" 0
else
    skip "hosts run beside each other" "there is one CPU, or memory for one"
fi

begin
slots=$(test_slots)
for ((i = 0; i < slots; i++)); do
    a_test "busy$i" 'until [ -e ../../../exact/done ]; do sleep 0.1; done' \
        'echo "ok - x"; echo 1..1'
done
a_test exact '# box: --mode exact' 'echo >>../../done' 'echo "ok - x"; echo 1..1'
run
is "a test in exact mode uses the CPU time that others leave" "$code" 0
is "and runs once" "$(wc -l <"$work/results/exact/done")" 1
begin
a_test exact '# box: --mode exact' 'echo "ok - x"; echo 1..1'
a_test again '# box: --mode exact' 'echo "ok - x"; echo 1..1'
run
is "it also runs alone" "$(grep -c "^ok" "$work/output")" 2
begin
a_test alone '# box: --parallel' 'echo begins >>../../../../order' 'sleep 1' \
    'echo ends >>../../../../order' 'echo "ok - x"' 'echo 1..1'
a_test other 'echo other >>../../../../order' 'echo "ok - x"' 'echo 1..1'
run
is "a test that needs the whole machine runs alone" \
    "$(tr '\n' ' ' <"$work/order")" "begins ends other "

begin
a_test hangs 'echo $$ >../../pid' 'sleep 1000'
"$here/run-tests.sh" >"$work/output" 2>"$work/messages" &
pid=$! code=0
for ((i = 0; i < 200; i++)); do
    [[ ! -s $work/results/hangs/pid ]] || break
    sleep 0.1
done
kill -TERM $pid
wait $pid || code=$?
is "SIGTERM ends all tests" $code 143
# gone PID: whether it has ended after a moment, even if it is a zombie.
gone()
{
    local tries=50

    while grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status" 2>/dev/null; do
        ((--tries > 0)) || return 1
        sleep 0.1
    done
}

check "and no process of them is left" gone "$(cat "$work/results/hangs/pid")"

begin
a_test long '# only: full' 'echo "ok - it works: $*"' 'echo 1..1'
a_test fine 'echo "ok - it works"' 'echo 1..1'
run
check "a test of make test-full alone does not run" \
    sh -c "! grep -q long '$work/output'"
run --full
check "it runs with --full, and knows that" says '^ok [0-9]* - long: it works: .*TEST_FULL=1'

begin
mkdir -p "$work/results/broken"
: >"$work/results/broken/ended"
echo "ok - broken: of yesterday" >"$work/results/broken/tap"
a_test broken 'rm -rf "$BOX_RESULTS/broken"; mkdir "$BOX_RESULTS/broken"' \
    'mkdir "$BOX_RESULTS/broken/tap.new"' 'echo "ok - first"' 'echo 1..1'
run
check "results that cannot be written are a failure, whatever there was before" \
    red broken "it did not report all of its results"

begin
a_test long '# only: full'
run
is "a run without tests is no success" "$code" 1

begin
run nobody
is "a name that no test has is wrong use" "$code" 64
check "a message says so" grep -q 'no test has the name nobody' "$work/messages"
finish
