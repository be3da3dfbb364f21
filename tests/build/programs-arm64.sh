#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks that the command xensched for arm64 prints the same from recordings as the one
# for x86: runs command-timeline.t with it, under QEMU's emulation of a program.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
BUILD=$TOP/build/arm64

emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || :)
if [ -z "$emulator" ]; then
    echo "ok 1 # SKIP no qemu-aarch64: 'make setup' with --full installs it"
    echo 1..1
    exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/xensched" << END
#!/bin/sh
exec '$emulator' -L '$("$TOP/xen-patches/sysroot.sh")' \
    -E LD_LIBRARY_PATH='$BUILD/dist/usr/lib' '$BUILD/tools/xensched' "\$@"
END
chmod +x "$folder/xensched"
XENSCHED=$folder/xensched "$TOP/tests/unit/command/command-timeline.t"
