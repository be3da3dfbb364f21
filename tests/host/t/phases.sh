#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --sockets 2 --cores 4 --memory 2560
# arm64: --mode exact --sockets 1 --cores 8 --memory 3584 --xen-append xsm=dummy
# only: full
# time: 900
#
# Eight guests, dom0 and a driver domain, whose traffic changes phase at the same time.  xenschedd
# finds the right place of each guest within 2 s of the change (arm64: 3 s), moves no guest that has
# not changed, none twice, and explains what each guest really does; and the log shows that they run
# there.
# Fails if it follows noise, lags behind, moves guests back and forth, if its moves have no effect,
# or if its explanations do not match the generated load.
#
# In exact mode, where a second is one of the host's, whatever else this machine does.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/phases.sh
. /usr/lib/box/sources.sh

journal=/var/log/xensched/journal.jsonl
# The daemon is fast because rates decay in 250 ms, and it makes four plans a second.  Four plans
# have to agree, so that the first few requests of a guest prove nothing.  A guest may move again
# after 3 s; phases are longer.
settings="--log ${daemon_events:?},wake-delay --half-life 250 --period 250
    --confirm 4 --stay 3000 --quiet 600000"
long=2 look=2 pause=20000
most_late=2000
# On arm64 all pCPUs share a run queue, so a guest may run at the right place by chance.  A plan of
# that moment has no reason for a move.
! on_arm64 || most_late=3000
began=0 changes=0 stopped=

# moves_since MS: prints "NAME DELAY PLACE" of each move, in ms after MS.
moves_since()
{
    sed -n 's/^{"time":"\([^"]*\)",.*"what":"move",.*"name":"\([^"]*\)".*/\1 \2/p' \
        $journal | tr 'TZ:-' '    ' | awk -v since="$1" '{
            split($6, second, ".")
            ms = mktime($1 " " $2 " " $3 " " $4 " " $5 " " second[1]) * 1000 \
                + ("1" second[2]) - 1000
            if (ms >= since)
                print $7, ms - since }'
}

# moved N: whether there were N moves since the phase began
moved()
{
    [ "$(moves_since "$began" | wc -l)" -ge "$1" ]
}

# misplaced PHASE GUEST: whether its affinity is elsewhere than the domains with which it
# communicates
misplaced()
{
    local other

    case $(letter "$1" "$2") in
    D)     ! soft_is "$2" 0-3 ;;
    V)     ! soft_is "$2" 4-7 ;;
    [p-s]) other=$(talks_with "$1" "$2")
           ! soft_is "$2" "$(soft "$other")" || soft_is "$2" all ;;
    *)     return 1 ;;
    esac
}

# runs_astray PHASE GUEST: whether it ran elsewhere, according to record_ran
runs_astray()
{
    case $(letter "$1" "$2") in
    D)     ! ran_for 95 "$2" 0-3 ;;
    V)     ! ran_for 95 "$2" 4-7 ;;
    [p-s]) ! ran_for 95 "$2" "$(soft "$2")" ;;
    *)     return 1 ;;
    esac
}

# all_right PHASE: checks affinities and the log.
all_right()
{
    local name wrong=0

    for name in $GUESTS; do
        ! misplaced "$1" "$name" && ! runs_astray "$1" "$name" || {
            wrong=1
            echo "$name: affinity $(soft "$name"), ran on $(ran_sockets "$name")"
        }
    done
    [ $wrong = 0 ] || xensched plan
    return $wrong
}

# to_move PHASE: prints guests that may be moved.  One of a pair is enough, unless neither was ever
# placed.
to_move()
{
    local name

    for name in $GUESTS; do
        ! misplaced "$1" "$name" || echo "$name"
    done
}

# how_many PHASE: counts those that have to move.
how_many()
{
    local name other n=0

    for name in $(cat may-move); do
        case $(letter "$1" "$name") in
        [p-s])
            other=$(talks_with "$1" "$name")
            if ! soft_is "$name" all; then
                ! soft_is "$other" all || continue
                [ "${name#g}" -lt "${other#g}" ] || continue
            fi ;;
        esac
        n=$((n + 1))
    done
    echo $n
}

# only_these: no guest moves twice, or without a change.
only_these()
{
    awk 'NR == FNR { may[$1] = 1; next }
         { print }
         !may[$1]-- { wrong = 1 }
         END { exit wrong }' may-move moves || {
        grep '"what":"move"' $journal | tail -n "$(wc -l <moves)"
        return 1
    }
}

# partners GUEST: prints its partners, according to explain, with 10/s at least.
partners()
{
    awk -v me="$1" '
        $3 == "from" && $5 == "to" && $2 + 0 >= 10 && ($4 == me || $6 == me) {
            print $4 == me ? $6 : $4
        }' "explain.$1" | sort -u | tr '\n' ' '
}

# decided GUEST REASON PLACE
decided()
{
    grep -q "^mode act, now: .*$2" "explain.$1" &&
        grep -q "^it was moved: .*$3" "explain.$1"
}

# explained PHASE GUEST: checks what it does, and its place and the reason if it has one.
explained()
{
    local truth

    truth=$(talks_with "$1" "$2" | tr ' ' '\n' | sort | tr '\n' ' ')
    [ "$(partners "$2")" = "${truth# }" ] || return 1
    case $(letter "$1" "$2") in
    D)     decided "$2" "with .*Domain-0" "pCPUs 0-3" ;;
    V)     decided "$2" "with .*driver" "pCPUs 4-7" ;;
    # A pair is as near on one socket as on the other one, which may be less crowded.
    [p-s]) decided "$2" "\( with \|by chance\)" "" ;;
    esac
}

all_explained()
{
    local name wrong=0

    for name in $GUESTS; do
        xl vm-affinity explain "$name" >"explain.$name"
        explained "$1" "$name" || {
            wrong=1
            echo "$name, $(letter "$1" "$name"):"
            cat "explain.$name"
        }
    done
    return $wrong
}

in_time()
{
    awk -v most=$most_late '$2 > most { late = 1 } END { exit !NR || late }' moves
}

# change WHAT PHASE [PAUSE]: begins the next phase, and checks all of its conditions.
change()
{
    local expected

    to_move "$2" >may-move
    expected=$(how_many "$2")
    changes=$((changes + expected))
    began=$(set_phase "$2" "${3:-$pause}")
    until_true 20 moved "$expected"
    sleep $long
    record_ran $look
    moves_since "$began" >moves
    note "$2: $1; moved, after ms: $(tr '\n' ' ' <moves)"
    is "$2: $1: the number of moves" "$(wc -l <moves)" "$expected"
    check "$2: no guest twice, none that has not changed" only_these
    check "$2: all run beside those with which they communicate" all_right "$2"
    [ "$expected" = 0 ] || check "$2: in time" in_time
    check "$2: explain describes what each of them does" all_explained "$2"
}

start_phase_guests
is "a driver domain and eight guests start" $? 0
# dom0 needs requests of both back ends: some guests use both.
start_agent
affinities >before
# shellcheck disable=SC2086 # separate words
start_daemon --mode act --max-moves 100 $settings
is "the daemon starts: $settings" $? 0
check "it learns of the driver domain's disks" until_true 20 agent_is_heard
sleep 4
is "all guests idle: none is moved" "$(moves_since 0)" ""

change "six begin to use a disk"      DDDVVVCC
if full; then
    change "two change sides"             VDDDVVCC
    change "the same, twice as fast"      VDDDVVCC 10000
fi
change "some compute, others begin"   CVDDCDVD
if full; then
    change "both disks, half and half"    BBBBBBBB
fi
change "two pairs, one of them apart" ppDqqDCC
if full; then
    change "other pairs"                  DpqVpVqC
fi
change "all guests idle"              --------
is "no more moves than there were changes" "$(moves_since 0 | wc -l)" $changes

stop_daemon TERM
is "it ends cleanly" "$stopped" 0
affinities >after
check "every affinity is as before" cmp before after

# The limit of moves, whatever there is to do.
rm $journal
# shellcheck disable=SC2086
start_daemon --mode act --max-moves 3 $settings
began=$(set_phase DVDVDVDV $pause)
sleep $((long + look))
is "at most max_moves per minute" "$(moves_since "$began" | wc -l)" 3
check "the journal reports that others wait" grep -q '"what":"put-off"' $journal
stop_daemon TERM
affinities >after
check "every affinity is as before" cmp before after
finish
