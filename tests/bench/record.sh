#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make bench-record: what it costs to record an event, in cycles, in user space
# on this machine.  How it is measured: docs/develop/benchmarks.md.
#
# Needs the headers of the patched Xen (make xen) and the unpatched tree (make
# xen-native), whose trace() is compiled to compare with.  LTTng is compared
# with if it is installed and can be run.
#
# ROUNDS=N       how often each case has its turn
#
# Writes build/bench/record.json; prints the same as a table.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
source=$here/record
native=$top/build/xen/native/xen
handler=$top/xen-patches/files/xen
build=$top/build/bench/record
out=$top/build/bench/record.json
rounds=${ROUNDS:-400}
session=xensched-bench-$$
lttng_home=$(mktemp -d)     # short: sockets are made below it
sessiond=
no_lttng=

die() { echo "bench: error: $*" >&2; exit 1; }

# As the hypervisor is compiled.  Alignment is the measurement's own: without
# it a case depends on where its loop happens to be.
common=(-std=gnu11 -Wall -Wextra -Werror -O2 -fomit-frame-pointer
        -fno-strict-aliasing -fno-common -fno-stack-protector -fno-jump-tables
        -falign-functions=64 -falign-loops=64)
as_xen=("${common[@]}" -mno-mmx -mno-sse -mno-red-zone)
include=(-I"$source" -I"$top/tests/unit/support" -I"$handler/include/xen"
         -I"$top/tools/xensched/include"
         -I"$top/build/dist/usr/include")

cc() { "${CC:-gcc}" "$@"; }

# Xen's headers which xen-env.h stands for.
stand_ins()
{
    local header

    for header in asm/io.h asm/atomic.h xen/{lib,param,sched,smp,event}.h \
        xen/{tasklet,init,mm,percpu,pfn,sections,cpu,types,errno}.h; do
        mkdir -p "$build/env/${header%/*}"
        echo '#include "xen-env.h"' > "$build/env/$header"
    done
}

compile()
{
    local -a objects=(bench sites record xen-trace) libs=(-lpthread) with=()

    stand_ins
    cc "${as_xen[@]}" "${include[@]}" -c -o "$build/sites.o" "$source/sites.c"
    cc "${as_xen[@]}" "${include[@]}" -c -o "$build/record.o" \
        "$handler/common/schedlog/record.c"
    # Xen's code isn't ours to be warned of.
    cc "${as_xen[@]}" -std=gnu99 -w -I"$source" -I"$build/env" -I"$native" \
        -I"$native/include" -c -o "$build/xen-trace.o" "$source/xen-trace.c"
    if [ -z "$no_lttng" ]; then
        cc "${common[@]}" -I"$source" -c -o "$build/lttng.o" "$source/lttng.c"
        objects+=(lttng) libs+=(-llttng-ust -ldl) with=(-DWITH_LTTNG)
    fi
    cc "${common[@]}" -D_GNU_SOURCE "${with[@]}" "${include[@]}" -c \
        -o "$build/bench.o" "$source/bench.c"
    objects=("${objects[@]/#/$build/}")
    cc -o "$build/bench" "${objects[@]/%/.o}" "${libs[@]}"
}

lttng_cmd() { LTTNG_HOME=$lttng_home lttng --no-sessiond "$@"; }

# start_lttng: a session daemon, unless there is one, and a flight recorder.
start_lttng()
{
    local i

    if ! lttng_cmd list > /dev/null 2>&1; then
        LTTNG_HOME=$lttng_home lttng-sessiond --no-kernel --quiet \
            > "$build/lttng.log" 2>&1 &
        sessiond=$!
        for ((i = 0; i < 50; i++)); do
            lttng_cmd list > /dev/null 2>&1 && break
            sleep 0.1
        done
    fi
    lttng_cmd create "$session" --snapshot &&
        lttng_cmd enable-event --userspace xensched_bench:row \
            --session "$session" &&
        lttng_cmd start "$session"
} >> "$build/lttng.log" 2>&1

stop_lttng()
{
    [ -n "$no_lttng" ] || lttng_cmd destroy "$session" || :
    [ -z "$sessiond" ] || { kill "$sessiond"; wait "$sessiond"; } || :
    rm -rf "$lttng_home"
} > /dev/null 2>&1

trap stop_lttng EXIT

# Why LTTng isn't compared with; nothing if it is.
look_for_lttng()
{
    if ! command -v lttng lttng-sessiond > /dev/null; then
        echo "lttng-tools is not installed"
    elif ! echo '#include <lttng/tracepoint.h>' |
        cc -E - > /dev/null 2>&1; then
        echo "liblttng-ust-dev is not installed"
    fi
}

[ -f "$native/common/trace.c" ] ||
    die "no unpatched Xen in $native: run 'make xen-native' first"
[ -f "$top/build/dist/usr/include/xen/schedlog.h" ] ||
    die "no headers of the patched Xen in build/dist: run 'make xen' first"

mkdir -p "$build"
no_lttng=$(look_for_lttng)
compile
if [ -z "$no_lttng" ] && ! start_lttng; then
    no_lttng="a session of LTTng cannot be started: $(tail -n 1 \
        "$build/lttng.log")"
fi

LTTNG_HOME=$lttng_home "$build/bench" "$rounds" \
    > "$build/rounds.txt" 2> "$build/bench.log" ||
    die "$(cat "$build/bench.log")"
python3 "$source/report.py" "$build/rounds.txt" "$out" \
    "make bench-record (ROUNDS=$rounds)" "$(cc --version | head -n 1)" \
    "$no_lttng"
