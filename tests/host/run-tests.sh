#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tests that need a Xen host, each in a host of its own, as many at a time as this machine
# has CPUs, and writes TAP.  See --help.
#
# The output of a test comes when it has ended: its results, and its plan, which has to be
# complete.  A test that does not end, whatever the reason, is a failure with its name.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/paths.sh
. "$here/lib/paths.sh"
# shellcheck source=lib/test-plan.sh
. "$here/lib/test-plan.sh"
# shellcheck source=lib/pool.sh
. "$here/lib/pool.sh"

IFS=: read -ra folders <<<"${BOX_TESTS:-$here/t:$here/../drivers/t}"
readonly results=${BOX_RESULTS:-$BOX_BUILD/test/host}

# Time for the boot, and for the slowest machine, in addition to a test's own limit.  In exact mode
# a host does less per second.  dom0's clock, which the limit uses, jumps to the next timer while
# all pCPUs wait for a file of this machine, which may be busy.
readonly boot_seconds=240 exact_factor=5

usage()
{
    cat <<END
Usage: run-tests.sh [--plan] [--full] [--host OPTIONS] [NAME...]
       run-tests.sh [--host OPTIONS] --shell NAME

Runs the host tests of these names, or all of them, and writes TAP.  For each,
$results/NAME/ has
  tap       its results           console   what Xen and dom0 printed
  messages  what the box said     time      how long it took

  --plan   only print what would run, in which order, and where
  --full   all that they can do, as make test-full does
  --host OPTIONS   more options of the box, for all hosts: "--guests pvh", say
  --shell  a shell in dom0 of the host of this test, which is in /box/in there

BOX_TESTS=FOLDER:FOLDER   where they are, if not in tests/host/t, tests/drivers/t
BOX_RESULTS=FOLDER        where results go
BOX_COMMAND=COMMAND       what is called in place of the box
Exit code: 0 if all is well, 1 if a test failed, 64 wrong use.
END
}

# select_tests [NAME...]: sets tests.  Without a name, selects those that a commit needs.
select_tests()
{
    local name folder file found

    tests=()
    for name in "${@:-*}"; do
        found=
        for folder in "${folders[@]}"; do
            # shellcheck disable=SC2231 # a pattern
            for file in "$folder"/$name.sh; do
                [[ -f $file ]] || continue
                found=yes
                [[ $# -gt 0 ]] || test_applies "$file" || continue
                [[ $# -eq 0 && -z $full ]] && test_only_full "$file" ||
                    tests+=("$file")
            done
        done
        [[ -n $found ]] ||
            die "$BOX_EXIT_USAGE" "no test has the name $name: see --plan"
    done
}

# host_of TEST: prints the options of its box.
host_of()
{
    printf '%s\n' "$(test_options "$1") $host"
}

# boot TEST FOLDER: runs its host from start to end; returns the box's exit code.
boot()
{
    local options limit factor=1

    options=$(host_of "$1")
    [[ $options != *"--mode exact"* ]] || factor=$exact_factor
    limit=$((factor * $(test_limit "$1")))
    echo "$limit" >"$2/limit"
    # shellcheck disable=SC2086 # they are separate words
    BOX_RUNS=$2/runs "${BOX_COMMAND:-$here/box}" $options $full \
        --timeout $((limit + boot_seconds)) \
        "$here/lib/run-test" "$2/limit" "$1" 2>"$2/messages"
}

# attempt TEST FOLDER: writes the test's output to "said"; returns its exit code.
attempt()
{
    local code=0

    if [[ $(test_options "$1") == none ]]; then
        "$1" >"$2/said" 2>"$2/messages" || code=$?
    else
        boot "$1" "$2" >"$2/said" || code=$?
        ln -sf runs/last/console.log "$2/console"
    fi
    return "$code"
}

# emulator_failed CODE: succeeds if QEMU failed, and neither Xen nor the test.
emulator_failed()
{
    [[ $1 -eq $BOX_EXIT_STUCK || $1 -eq $BOX_EXIT_CLOCK ]]
}

# how_it_ended CODE: prints why a test was ended.
how_it_ended()
{
    case $1 in
    "$BOX_EXIT_TIMEOUT")         echo "it took too long" ;;
    137|143)                     echo "it took too long, or was killed" ;;
    "$BOX_EXIT_STUCK")           echo "dom0 did not start" ;;
    "$BOX_EXIT_CLOCK")           echo "the emulator lost its clock" ;;
    "$BOX_EXIT_DIED")            echo "the host died" ;;
    "$BOX_EXIT_MISSING")         echo "something is missing" ;;
    *)                           echo "it ended early, exit code $1" ;;
    esac
}

# judge NAME CODE: adds the test's name to its output (stdin), and failures for a missing end or
# missing results.
judge()
{
    awk -v name="$1" -v code="$2" -v how="$(how_it_ended "$2")" '
        function fail(why) { print "not ok - " name ": " why }
        /^(not )?ok/ {
            seen++
            failed += /^not/
            sub(/ok( [0-9]+)?( -)?/, "ok - " name ":")
            last = $0
            sub(/^[^:]*: */, "", last)
        }
        /^1\.\./ { planned = substr($0, 4) + 0; told = 1; next }
        { print }
        END {
            where = ", after \"" last "\""
            if (last == "")
                where = ", before its first result"
            if (!told || code > 1)
                fail(how where)
            else if (seen != planned || !seen)
                fail("planned " planned ", did " seen + 0)
            else if (code && !failed)
                fail("exit code " code)
        }'
}

# complaints CONSOLE: prints lines that neither Xen nor dom0 may ever print.  Guests' lines start
# with (dN) and do not count, nor do call traces that a test asked for with a debug key.
complaints()
{
    grep -a -E '^\(XEN\).*(Assertion|Panic on CPU|FATAL|Xen (BUG|WARN|call trace)|\*\*\* Dumping CPU)|^\[ *[0-9.]+\] .*(BUG:|WARNING:|Oops|Call Trace|general protection|soft lockup|hung task)' \
        "$1" | awk '/Dumping CPU/ { asked = 1; next } /Xen call trace/ && asked { asked = 0; next }
                    { print }' | tr -d '\r' | head -n 20
}

# quiet NAME FOLDER: prints a result of its own if there are complaints.
quiet()
{
    local words

    [[ -f $2/console ]] || return 0
    # grep ends early if there are many, which is not a success.
    words=$(complaints "$2/console" || :)
    [[ -n $words ]] || return 0
    printf 'not ok - %s: Xen or dom0 complained\n' "$1"
    sed 's/^/#   /' <<<"$words"
}

# timed FILE COMMAND...: writes the duration to FILE.
timed()
{
    local file=$1 TIMEFORMAT='%0R s, %0U + %0S s of a CPU'

    shift
    { time "$@" 2>&3; } 3>&2 2>"$file"
}

# run TEST: runs the test, writes its results into its folder, and then prints them.
run()
{
    local name folder code=0 start=$SECONDS

    name=$(test_name "$1")
    folder=$results/$name
    mkdir -p "$folder"
    printf '# begins: %s\n' "$name" >&2
    timed "$folder/time" attempt "$1" "$folder" || code=$?
    : >"$folder/tap.new"
    if emulator_failed "$code"; then
        printf '# retried %s: %s\n' "$name" "$(how_it_ended "$code")" \
            >"$folder/tap.new"
        code=0
        timed "$folder/time" attempt "$1" "$folder" || code=$?
    fi
    {
        judge "$name" "$code" <"$folder/said"
        quiet "$name" "$folder"
    } >>"$folder/tap.new"
    test_remember "$1" $((SECONDS - start))
    mv "$folder/tap.new" "$folder/tap"
    tell "$name" "$folder"
    : >"$folder/ended"
}

# tell NAME FOLDER: prints one test's results at a time.
tell()
{
    {
        flock 9
        printf '# %s: %s\n' "$1" "$(<"$2/time")"
        cat "$2/tap"
        ! grep -q '^not ok' "$2/tap" || sed 's/^/# /' "$2/messages"
    } 9<"$here/run-tests.sh"
}

# run_once TEST: runs the test unless it has begun already.
run_once()
{
    local folder

    folder=$results/$(test_name "$1")
    mkdir -p "$folder"
    ! mkdir "$folder/begun" 2>/dev/null || run "$1"
}

# lane TEST...: runs tests one after the other with the CPU time that other hosts leave while they
# wait.
lane()
{
    local test

    renice -n 10 "$BASHPID" >/dev/null
    for test in "$@"; do
        run_once "$test"
    done
}

# pool_of TEST...: runs tests beside each other, except for those that need the whole machine.
# Tests in exact mode, whose results do not depend on other load, are in the lane.  When all other
# tests have begun, the pool also takes them from the lane's end.
pool_of()
{
    local test all exact=() others=() at

    all=$(test_slots)
    pool_begin "$all"
    for test in "$@"; do
        if test_needs_all "$test"; then
            pool_run "$all" run_once "$test"
        elif test_is_exact "$test"; then
            exact+=("$test")
        else
            others+=("$test")
        fi
    done
    for ((at = 0; at < ${#others[@]}; at++)); do
        pool_run 1 run_once "${others[at]}"
        ((at > 0 || ${#exact[@]} == 0)) || pool_run 0 lane "${exact[@]}"
    done
    for ((at = ${#exact[@]} - 1; at >= 0; at--)); do
        pool_run 1 run_once "${exact[at]}"
    done
    pool_wait
}

run_all()
{
    local test order

    for test in "$@"; do
        rm -rf "${results:?}/$(test_name "$test")"
    done
    mapfile -t order < <(test_order "$@")
    trap pool_end EXIT
    trap 'exit 143' TERM
    pool_of "${order[@]}"
    for test in "$@"; do
        [[ -f $results/$(test_name "$test")/ended ]] ||
            printf 'not ok - %s: it did not report all of its results\n' \
                "$(test_name "$test")"
    done
    echo "# all have ended"
}

# Numbers all results and adds the plan.  (Not with awk: Debian's awk reads its input in large
# pieces, and a reader wants to see the progress.)
number()
{
    local line n=0 failed=0 ended=no

    while IFS= read -r line; do
        [[ $line == 1..* ]] && continue
        [[ $line != "# all have ended" ]] || ended=yes
        if [[ $line =~ ^(ok|not\ ok)(\ [0-9]+)?(.*)$ ]]; then
            n=$((n + 1))
            [[ ${BASH_REMATCH[1]} == ok ]] || failed=1
            line="${BASH_REMATCH[1]} $n${BASH_REMATCH[3]}"
        fi
        printf '%s\n' "$line"
    done
    if [[ $ended == no ]]; then
        n=$((n + 1))
        failed=1
        printf 'not ok %d - the tests did not run to their end\n' "$n"
    fi
    printf '1..%d\n' "$n"
    [[ $failed -eq 0 && $n -gt 0 ]]
}

# The pipeline below is a process group, and each job of the pool is another one, which its starter
# ends.
end_all()
{
    local job

    for job in $(jobs -p); do
        kill -TERM -- "-$job" 2>/dev/null || :
    done
    wait || :
}

# A shell where a test runs: "sh /box/in/NAME.sh" runs it.
shell()
{
    # shellcheck disable=SC2046 # they are separate words
    exec "$here/interactive.sh" $(host_of "$1") "$1"
}

full='' host='' only_plan=''
while [[ ${1-} == -* ]]; do
    case $1 in
    --help)
        usage
        exit 0 ;;
    --plan)
        only_plan=yes ;;
    --full)
        full="--dom0-append TEST_FULL=1" ;;
    --host)
        [[ $# -ge 2 ]] || { usage >&2; exit "$BOX_EXIT_USAGE"; }
        host=$2
        shift ;;
    --shell)
        [[ $# -eq 2 ]] || { usage >&2; exit "$BOX_EXIT_USAGE"; }
        select_tests "$2"
        shell "${tests[0]}" ;;
    *)
        usage >&2
        exit "$BOX_EXIT_USAGE" ;;
    esac
    shift
done
select_tests "$@"
if [[ -n $only_plan ]]; then
    test_plan "${tests[@]}"
    exit 0
fi
mkdir -p "$results"
set -m
trap end_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
run_all "${tests[@]}" </dev/null | number &
wait $!
