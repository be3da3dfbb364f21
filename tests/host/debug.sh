#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make debug: runs the tests with the most concurrency on a hypervisor with CONFIG_DEBUG
# (xen-patches/debug.sh), where each ASSERT() is a check.  One that fails is on the console, and
# fails the test.  Names of other tests may be given.
# Results in build/test/debug.  Writes TAP.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/paths.sh
. "$here/lib/paths.sh"

[[ $# -gt 0 ]] || set -- log-life log-noise log-soak log-control lease ring-destroy
"$here/../../xen-patches/debug.sh" >&2
BOX_XEN_PATCHED=$BOX_BUILD/xen/debug/xen/xen \
BOX_RESULTS=$BOX_BUILD/test/debug exec "$here/run-tests.sh" "$@"
