#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Does the patch that is meant for Linux itself, the one next to this script, build?
# Makes xen-blkback with it, and nothing else of ours, for a kernel release such as
# 6.1.0-56-amd64, from what ../blkback/prepare.sh has unpacked of Debian's source.
#
#   build.sh RELEASE SOURCE OUT    leaves OUT/drivers/block/xen-blkback/xen-blkback.ko
#
# SOURCE is a folder linux-source-X.Y.

set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd -P)
release=${1:?usage: build.sh RELEASE SOURCE OUT}
source=${2:?usage: build.sh RELEASE SOURCE OUT}
OUT=${3:?usage: build.sh RELEASE SOURCE OUT}

rm -rf "$OUT"
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd -P)
cp -r "$source/drivers" "$OUT"
# MAINTAINERS is not there, and git must not take OUT for a part of our repository.
for patch in "$HERE"/*.patch; do
    (cd "$OUT" && GIT_DIR=/dev/null git apply --exclude=MAINTAINERS "$patch")
done
make -s -C "$("$HERE/../headers.sh" "$release")" M="$OUT/drivers/block/xen-blkback" \
    KCFLAGS="-I$OUT/include" modules
