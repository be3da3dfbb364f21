# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Reads all parts of the box, in the order in which they use each other.

# shellcheck source=lib/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"
# shellcheck source=lib/options.sh
. "$BOX_SOURCE/lib/options.sh"
# shellcheck source=lib/kernel.sh
. "$BOX_SOURCE/lib/kernel.sh"
# shellcheck source=lib/initramfs.sh
. "$BOX_SOURCE/lib/initramfs.sh"
# shellcheck source=lib/image.sh
. "$BOX_SOURCE/lib/image.sh"
# shellcheck source=lib/tools-image.sh
. "$BOX_SOURCE/lib/tools-image.sh"
# shellcheck source=lib/systemd-image.sh
. "$BOX_SOURCE/lib/systemd-image.sh"
# shellcheck source=lib/hvm-image.sh
. "$BOX_SOURCE/lib/hvm-image.sh"
# shellcheck source=lib/accel.sh
. "$BOX_SOURCE/lib/accel.sh"
# shellcheck source=lib/inject-once.sh
. "$BOX_SOURCE/lib/inject-once.sh"
# shellcheck source=lib/qemu.sh
. "$BOX_SOURCE/lib/qemu.sh"
# shellcheck source=lib/host.sh
. "$BOX_SOURCE/lib/host.sh"
