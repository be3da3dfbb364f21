#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# box: none
# time: 900
# only: full
#
# In mode timed two runs are the same to the last row of Xen's log, with what it says of
# times: whatever else this machine does meanwhile.  Real time could leak in by any
# thread of QEMU's, such as one of 9p or the main loop, by a timer of the wrong clock, or
# by TLBs that shrink after a while; this machine's files by their paths or inodes.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../dom0/usr/lib/box/tap.sh
. "$here/dom0/usr/lib/box/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/script" <<'END'
#!/bin/sh
set -e
. /usr/lib/box/tap.sh
. /usr/lib/box/timed.sh
. /usr/lib/box/daemon.sh
for file in 1 2 3; do
    : >"$RESULTS/$file"
    ls -i "$RESULTS/$file"
    rm "$RESULTS/$file"
done | awk '{ print $1 }' >/tmp/inodes
start_daemon --mode observe
start_reader reader 2
dom0_on_pcpu_0
xensched record --seconds 1 "$RESULTS/recording" >/dev/null &
recorder=$!
read_times reader >/tmp/times
wait $recorder
stop_daemon TERM
xensched dump "$RESULTS/recording" >/tmp/rows
cp /tmp/rows /tmp/times /tmp/inodes "$RESULTS"
END

# run NAME: one host, whose folder has a path of another length
run()
{
    BOX_RUNS=$work/runs-of-$1 "$here/box" --timeout 420 --machine xeon2 --mode timed \
        --sockets 2 --cores 2 --numa --results "$work/$1" "$work/script" \
        >"$work/$1.messages" 2>&1 ||
        { cat "$work/$1.messages"; return 1; }
}

# same FILE: prints the first lines that differ
same()
{
    diff -U 0 "$work/one/$1" "$work/the-second/$1" | head -n 6
    cmp "$work/one/$1" "$work/the-second/$1"
}

check "a host" run one
# Something else to do for this machine.
(while :; do :; done) &
check "the same again, on a busy machine" run the-second
kill $!
check "there are rows" test "$(wc -l <"$work/one/rows")" -gt 1000
check "all rows are the same, times included" same rows
check "a guest's times of its reads are the same" same times
# This machine may give the inode of a file that is gone to the next one, or to another
# program's.
numbers() { sort -u "$work/one/inodes" | wc -l; }
check "no file in the share has the number of one that is gone" test "$(numbers)" = 3
# forward NAME: of each pCPU and event, which has a log buffer of its own
forward()
{
    awk '/^#/ || NR == 1 { next }
        $1 < last[$2, $3] { print "row " NR " goes back: " $0; back++ }
        { last[$2, $3] = $1 }
        END { exit back > 0 }' "$work/$1/rows"
}
check "no row goes back in time" forward one

finish
