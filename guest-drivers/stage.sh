#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Lay out the source tree that Linux' build system and DKMS see: our modules
# and, from the one place where they are kept, the files of the record handler
# which Xen and Linux share.
#
#   stage.sh FOLDER
#
# Only files whose content differs are written, so make builds what changed.

set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd -P)
XEN=$HERE/../xen-patches/files/xen
OUT=${1:?usage: stage.sh FOLDER}

# put FILE NAME
put()
{
    cmp -s "$1" "$OUT/$2" && return
    mkdir -p "$OUT/$(dirname "$2")"
    cp --preserve=mode "$1" "$OUT/$2"
}

(cd "$HERE" && find Kbuild dkms.conf core include guest blkback -type f) |
    while read -r file; do
        put "$HERE/$file" "$file"
    done
put "$XEN/include/public/schedlog.h" include/schedlog.h
put "$XEN/include/xen/schedlog-record.h" core/schedlog-record.h
put "$XEN/common/schedlog/record.c" core/record.c
