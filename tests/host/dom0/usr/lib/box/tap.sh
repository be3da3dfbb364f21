# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For the test scripts that run in dom0 of the box: ". /usr/lib/box/tap.sh", then one check for each
# promise, then finish.

TAP_COUNT=0
TAP_FAILED=0
TAP_SECONDS=

# took_long: reports where the time of a test goes.
took_long()
{
    local now rest

    # shellcheck disable=SC2034 # the idle time
    read -r now rest </proc/uptime
    now=${now%.*}
    [ $((now - ${TAP_SECONDS:-now})) -lt 10 ] ||
        echo "# $((now - TAP_SECONDS)) s since the check before"
    TAP_SECONDS=$now
}
took_long

# check NAME COMMAND...: prints the command's output if it fails.
check()
{
    local what=$1 out

    shift
    TAP_COUNT=$((TAP_COUNT + 1))
    if out=$("$@" 2>&1); then
        echo "ok - $what"
    else
        TAP_FAILED=$((TAP_FAILED + 1))
        echo "not ok - $what"
        echo "$out" | tail -n 30 | sed 's/^/#   /'
    fi
    took_long
}

equal()
{
    [ "$1" = "$2" ] || {
        echo "got:    $1"
        echo "wanted: $2"
        return 1
    }
}

# is WHAT GOT WANTED
is()
{
    check "$1" equal "$2" "$3"
}

# calc EXPRESSION: its value; sh has no fractions.
calc()
{
    awk "BEGIN { print $1 }"
}

# within PERCENT A B: A differs from B by PERCENT or less; not if B is 0.
within()
{
    awk -v percent="$1" -v a="$2" -v b="$3" 'BEGIN {
        print a, "and", b
        exit !(a != "" && b > 0 && a >= b * (1 - percent / 100) &&
               a <= b * (1 + percent / 100)) }'
}

# skip WHAT WHY
skip()
{
    TAP_COUNT=$((TAP_COUNT + 1))
    echo "ok - $1 # SKIP $2"
}

note()
{
    echo "# $*"
}

# The plan comes last, so that no test has to count its checks.
finish()
{
    echo "1..$TAP_COUNT"
    exit $((TAP_FAILED > 0))
}

# full: whether this is make test-full, in which a test may repeat more often.  (dom0's kernel has
# run-tests.sh's --full on its command line.)
full()
{
    [ -n "$TEST_FULL" ]
}

# on_arm64: whether this host is for arm64.
on_arm64()
{
    [ "$(uname -m)" = aarch64 ]
}

# until_true SECONDS COMMAND...: asks five times per second.
until_true()
{
    local left=$(($1 * 5))

    shift
    until "$@"; do
        [ $left -gt 0 ] || return 1
        left=$((left - 1))
        usleep 200000
    done
}

# meeting DOMID DOMID: prints the path of an empty xenstore node that both may write, where two test
# programs meet (programs/parts/exchange.h).
meeting()
{
    local node

    node=/meeting/$1-$2
    xenstore-rm "$node" 2>/dev/null
    xenstore-write "$node" ""
    xenstore-chmod "$node" n0 "b$1" "b$2"
    echo "$node"
}

# start_all NAME...: starts obedient guests, all at once.  NAME:KEY=VALUE changes a property of one.
start_all()
{
    local guest started=

    for guest; do
        case $guest in
        *:*) guest start obedient name="${guest%%:*}" "${guest#*:}" & ;;
        *)   guest start obedient name="$guest" & ;;
        esac
        started="$started $!"
    done
    # shellcheck disable=SC2086 # numbers of processes
    wait $started
}

# domid NAME: prints the domid that "guest" has noted; xl would take long.
domid()
{
    cat "/run/guests/$1/domid"
}

# in_guest NAME COMMAND: lets an obedient guest run it.  Returns when it has ended, with its exit
# code; its output is the end of "guest output NAME".
in_guest()
{
    obey "$1" "$2"
}

# in_both NAME COMMAND NAME COMMAND: two guests at the same time, that meet at
# $NODE and know each other's domid as $PEER.  Waits for these two: the test may
# run other programs in the background.  Fails if one of the two fails.
in_both()
{
    local one other node first second code=0

    one=$(domid "$1")
    other=$(domid "$3")
    node=$(meeting "$one" "$other")
    in_guest "$1" "NODE=$node PEER=$other; $2" &
    first=$!
    in_guest "$3" "NODE=$node PEER=$one; $4" &
    second=$!
    wait "$first" || code=$?
    wait "$second" || code=$?
    return "$code"
}
