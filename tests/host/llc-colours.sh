#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots Xen for arm64 with colours of the last-level cache (xen-patches/colours.sh) and two guests
# that share one, and checks that xensched check lists each domain with Xen's colours.  A cache of
# 1 MiB with 16 ways, which the emulated processor does not have, has 16 colours.  Writes TAP.
# Needs `make tools XEN_ARCH=arm64`.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export XEN_ARCH=arm64
# shellcheck source=lib/box.sh
. "$here/lib/box.sh"
readonly seconds=300

# Adds the first process and its script to the initramfs of this run.
add_init()
{
    local root=$HOST_RUN/root image=$HOST_RUN/boot/initramfs.cpio

    mkdir "$root"
    cp "$here/llc-colours/init" "$root/init-colours"
    cp "$here/llc-colours/dom0.sh" "$root/llc-colours.sh"
    (cd "$root" && find . | cpio -o -H newc --quiet) >"$HOST_RUN/more.cpio"
    # The file may be a link that other runs have, too.
    cat "$image" "$HOST_RUN/more.cpio" >"$image.new"
    mv "$image.new" "$image"
}

# results: prints dom0's output.
results() { tr -d '\r' <"$HOST_RUN/console.log" | grep -E '^(ok|not ok|#|1\.\.)'; }

"$here/../../xen-patches/colours.sh" >&2
HOST_MODE=exact
HOST_XEN=$BOX_BUILD/xen/colours/xen/xen
HOST_XEN_APPEND="llc-coloring=on llc-size=1M llc-nr-ways=16 dom0-llc-colors=0-7"
HOST_DOM0_APPEND="rdinit=/init-colours nosoftlockup"
host_options_check
host_prepare
add_init
SECONDS=0
host_start
while host_running && [[ $SECONDS -lt $seconds ]]; do
    sleep 1
done
if ! results | grep -q '^1\.\.'; then
    echo "not ok - dom0 runs its script to the end within $seconds s"
    host_show_console
    exit 1
fi
results
! results | grep -q '^not ok'
