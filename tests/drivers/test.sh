#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The tests of the Linux modules: builds them for all series of Linux, and runs them on the test
# host, whose dom0 and guests have Debian's current kernel, or the newest one of another series that
# apt knows.
#
#   test.sh [SERIES [TEST...]]   such as 6.12
#
# Results are in build/test-drivers/.  A host with another kernel has a folder of its own
# (build/host-SERIES), because unpacking kernels takes time.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
SERIES=${1:-}
shift || :
OUT=$TOP/build/test-drivers${SERIES:+-$SERIES}
CACHE=$TOP/build/cache

die() { printf 'test-drivers: error: %s\n' "$1" >&2; exit 1; }

# The kernel package of a series, downloaded if necessary.
kernel()
{
    local name file

    name=$(apt-cache search --names-only \
        "^linux-image-${1//./\\.}[.-][.0-9+a-z-]*-amd64$" | cut -d ' ' -f 1 |
        grep -v -E -- '-(cloud|rt)-' | sort -V | tail -n 1)
    [ -n "$name" ] || die "apt knows no kernel of the series $1"
    mkdir -p "$CACHE"
    file=$(find "$CACHE/" -maxdepth 1 -name "${name}_*.deb" -print -quit)
    if [ -z "$file" ]; then
        # apt's own user may not be able to write to a build folder.
        (cd "$CACHE" && apt-get -qq -o APT::Sandbox::User=root \
            download "$name" >&2) || die "cannot download $name"
        file=$(find "$CACHE/" -maxdepth 1 -name "${name}_*.deb" -print -quit)
    fi
    echo "$file"
}

if [ -n "$SERIES" ]; then
    BOX_KERNEL_DEB=$(kernel "$SERIES")
    BOX_HOST=$TOP/build/host-$SERIES
    export BOX_KERNEL_DEB BOX_HOST
fi
rm -rf "$OUT"
mkdir -p "$OUT"
cd "$TOP"
tests/drivers/build.sh
[ $# -gt 0 ] || tests/drivers/run.t | tee "$OUT/modules.tap" || :
BOX_TESTS=$TOP/tests/drivers/t BOX_RESULTS=$OUT/host tests/host/run-tests.sh "$@" |
    tee "$OUT/host.tap" || :
tests/tap-summary.sh "$OUT"/*.tap
