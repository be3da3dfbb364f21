#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Lay out the source tree that Linux's build system and DKMS see: our modules
# and, from the one place where they are kept, the files of the record handler
# which Xen and Linux share, and the numbers of Linux's events.
#
#   stage.sh FOLDER [log | blkback]
#
# All of it, or what one of the packages of DKMS has, with its dkms.conf.
# Only files that differ are written, so make builds what changed.

set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd -P)
XEN=$HERE/../xen-patches/files/xen
EVENTS=$HERE/../tools/xensched/include/xensched/linux-events.h
OUT=${1:?usage: stage.sh FOLDER [log | blkback]}
PART=${2:-}
case $PART in
'')      folders='core guest blkback' ;;
log)     folders='core guest' ;;
blkback) folders=blkback ;;
*)       echo "stage: error: there is no part '$PART'" >&2; exit 1 ;;
esac

# put FILE NAME
put()
{
    cmp -s "$1" "$OUT/$2" && return
    mkdir -p "$OUT/$(dirname "$2")"
    cp --preserve=mode "$1" "$OUT/$2"
}

# shellcheck disable=SC2086 # folders are words
(cd "$HERE" && find -L Kbuild include $folders -type f) |
    while read -r file; do
        put "$HERE/$file" "$file"
    done
put "$XEN/include/public/schedlog.h" include/schedlog.h
put "$EVENTS" include/linux-events.h
[ -z "$PART" ] || put "$HERE/dkms/$PART.conf" dkms.conf
[ "$PART" != blkback ] || exit 0
[ "$PART" != log ] || put "$HERE/dkms/check.sh" check.sh
put "$XEN/include/xen/schedlog-record.h" core/schedlog-record.h
put "$XEN/include/xen/schedlog-row.h" core/schedlog-row.h
put "$XEN/common/schedlog/record.c" core/record.c
