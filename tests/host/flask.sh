#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make flask: tests FLASK's rights for the log facility, on a hypervisor of its own
# (xen-patches/flask.sh) that boots with a policy without these rights.  Writes TAP.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/paths.sh
. "$here/lib/paths.sh"
flask=$BOX_BUILD/xen/flask

"$here/../../xen-patches/flask.sh" >&2
exec "$here/box" --sockets 1 --cores 2 --timeout 400 \
    --xen "$flask/xen/xen" --xen-append flask=enforcing \
    --module "$flask/policy/without" \
    "$here/flask/dom0.sh" "$flask"/policy/{stock,no-mark,reader,without}
