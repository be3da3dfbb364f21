#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tell whether the modules build for a kernel, by building them in a folder that goes
# again.  dkms.conf asks before DKMS builds: what does not build is excluded, as a failure
# of DKMS is one of apt, which then leaves a kernel half-configured.
#
#   check.sh RELEASE HEADERS
#
# Exits 0 if they build, and 1 with a reason if not.  DKMS reads dkms.conf many times for
# a kernel, so a success is noted in /run until the headers or the sources change.  Without
# headers, or for a user that cannot build, it prints nothing and returns 0.

set -euo pipefail
cd "$(dirname "$0")"
release=${1:?usage: check.sh RELEASE HEADERS}
headers=${2:?usage: check.sh RELEASE HEADERS}
noted=${XENSCHED_RUN:-/run}/xensched-log-dkms.$release

if [ ! -f "$headers/Makefile" ] || [ "$(id -u)" != 0 ]; then
    exit 0
fi

id=$(stat -L -c '%n %s %Y' "$headers"/{Makefile,Module.symvers} || :
    find Kbuild include core guest -type f -exec cat {} + | cksum)
[ "$(cat "$noted" 2> /dev/null)" != "$id" ] || exit 0

trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
cp -r Kbuild include core guest "$trial"
if make -C "$headers" M="$trial" modules > "$trial/log" 2>&1; then
    echo "$id" 2> /dev/null > "$noted" || :
    exit 0
fi
printf 'xensched-log is not built for Linux %s: %s\n' "$release" \
    "$(grep -m 1 -E 'error:|undefined!|\*\*\*' "$trial/log" || tail -n 1 "$trial/log")" >&2
exit 1
