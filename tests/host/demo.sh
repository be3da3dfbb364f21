#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make demo, once everything is built: boot a host with two sockets and watch
# xenschedd move the guest that talks to a driver domain next to it, and
# nothing else, and put it back; then, where there is no room for it, leave it
# alone.  Where a guest is, is where it ran.  Exits with 1 unless all of that
# happened.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

echo "demo: booting a Xen host: 2 sockets x 4 cores"
exec "$here/box" --sockets 2 --cores 4 --timeout 600 \
    "$here/demo/dom0.sh" "$@"
