# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Boots a host in exact mode (or --mode) for host benchmarks, and reads its recordings.
# Needs $top; sets $out, the folder of results, and $results, a temporary folder.

# shellcheck disable=SC2154 # top
# shellcheck source=tests/host/lib/paths.sh
. "$top/tests/host/lib/paths.sh"

out=$top/build/bench
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
mkdir -p "$out"
export PYTHONDONTWRITEBYTECODE=1

# The files of the guest "bench".
# shellcheck disable=SC2034 # for the benchmarks
bench_guest=("$top"/tests/bench/host/{{,daemon-}dom0.sh,bench.guest,workload}
             "$top"/tests/bench/host/{long-postmark,changing-load})

# bench_boot OPTION... SCRIPT FILE...: boots a host; the arguments are the box's
bench_boot()
{
    echo "bench: booting a host" >&2
    "$top/tests/host/box" --mode exact --timeout 1800 --results "$results" \
        "$@" >&2
}

# bench_dump RECORDING: as JSON lines beside it
bench_dump()
{
    LD_LIBRARY_PATH=$BOX_DIST/usr/lib "$BOX_TOOLS/xensched" dump --json "$1" \
        >"${1%.rows}.jsonl"
}
