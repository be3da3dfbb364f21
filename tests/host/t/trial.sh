#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4 --numa
# time: 420
# only: full
#
# A trial on a real host: according to the log, the guest runs on its former node in blocks without
# placement and beside dom0 in blocks with it, and the trial reports that; the result has an
# interval, and its blocks become an experiment; afterwards all affinities are as before.  Fails if
# blocks differ in their setting only.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs
far=4-7
stopped=

trial_has()
{
    xensched trial show --json | grep "\"$1\": *\"*$2"
}

# block_is KIND: whether it is of this kind, past its warm-up, for 3 s at least.
block_is()
{
    xensched trial show --json | tr -d '\n' | grep "\"block\": *\"$1\"" |
        sed -n 's/.*"block_left_s": *\([0-9]*\).*/\1/p' |
        awk '$1 >= 3 && $1 <= 8 { found = 1 } END { exit !found }'
}

# runs_in KIND CPUS: checks where it runs in such a block, by the rows of the log.
runs_in()
{
    until_true 60 block_is "$1" && runs_at disk "$2" 2 90
}

guest start disk
xl vcpu-pin disk 0 all $far
affinities >before
start_daemon --mode act
is "the daemon starts" "$?" 0
check "it places the guest beside dom0: according to the log, it runs there" \
    until_true 40 runs_at disk "$near" 2
is "there was no trial" "$(xensched trial show)" \
    "there was no trial on this host; 'xensched trial start' begins one"
xensched trial start --block 12s --pairs 5 | sed 's/^/# /'
check "in a block without placement it runs where it was, according to the log" \
    runs_in "not placed" $far
check "in a block with placement it runs beside dom0, according to the log" \
    runs_in placed "$near"
check "a second trial is refused" sh -c \
    'xensched trial start 2>&1 | grep "a trial is running"'
check "the trial ends without a command" until_true 200 trial_has state complete
check "it compared the guest in each pair" sh -c \
    'xensched trial show | grep "^disk  *page  *5 "'
check "the result has an interval, or reports that it has none" sh -c \
    'xensched status | grep "^trial  *complete: .*pCPU time per page"'
xensched trial show | sed 's/^/# /'
# "placed":0.98,"not_placed":0.01: those of the whole trial come before those of guests.
check "it reports that the guest ran at its target when placed, and elsewhere otherwise" \
    sh -c 'xensched trial show --json | tr -d " \n" | grep -o "\"at_target\":{[^}]*}" |
        head -1 | awk -F "[:,}]" "{ exit !(\$3 > 0.8 && \$5 < 0.2) }"'
check "each block becomes a run of an experiment" sh -c \
    'xensched runs --database /run/db import | grep "^experiment 1: 10 blocks"'
xensched runs --database /run/db compare not_placed placed | sed 's/^/# /'
check "its figures are the guest's" sh -c \
    'xensched runs --database /run/db stat | grep "disk cost"'
xensched explain disk | grep 'costs .* us of pCPU time' | sed 's/^/# /'
check "the journal has its beginning and its end" sh -c \
    'grep -c "\"what\":\"trial-\(start\|end\)\"" /var/log/xensched/journal.jsonl | grep -x 2'
stop_daemon TERM
is "the daemon ends cleanly" "$stopped" 0
affinities >after
check "every affinity is as before" cmp before after
finish
