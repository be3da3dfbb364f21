#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make demo, once everything is built: boots a host with two sockets, and shows that xenschedd
# moves the guest that communicates with a driver domain next to it, and no other guest, and
# restores it; then, that xenschedd leaves the guest where it is if no cores are free there.  The
# log shows where guests ran.  Exits with 1 unless all of that happened.  With XEN_ARCH=arm64, whose
# Xen knows no sockets, two clusters take their place, each with an LLC that the operator names.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [[ ${XEN_ARCH:-} == arm64 ]]; then
    echo "demo: booting a Xen host for arm64: 2 clusters x 4 cores"
    host=(--sockets 1 --cores 8)
else
    echo "demo: booting a Xen host: 2 sockets x 4 cores"
    host=(--sockets 2 --cores 4)
fi
exec "$here/box" "${host[@]}" --timeout 600 "$here/demo/dom0.sh" "$@"
