# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For the test scripts which run in dom0 of the box: ". /usr/lib/box/tap.sh",
# then one check for each promise, then finish.

TAP_COUNT=0
TAP_FAILED=0

# check WHAT COMMAND...: what the command says is shown when it fails.
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

# The plan comes last: nobody has to count.
finish()
{
    echo "1..$TAP_COUNT"
    exit $((TAP_FAILED > 0))
}

# meeting DOMID DOMID: prints the path of a new xenstore node that both may
# write, where two test programs meet (programs/exchange.h).
meeting()
{
    local node

    node=/meeting/$1-$2
    xenstore-write "$node" ""
    xenstore-chmod "$node" n0 "b$1" "b$2"
    echo "$node"
}
