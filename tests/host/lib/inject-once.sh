# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Selects the QEMU that emulates a host.  For PVH or HVM domains it is a copy of this machine's,
# which does not interrupt them twice (inject-once.py has the reason).
#
# Gives: $BOX_HOST/qemu

# shellcheck disable=SC2034 # read by host.sh
HOST_QEMU=qemu-system-x86_64

# inject_once_copy QEMU FOLDER: a copy looks for its modules and data beside itself.
inject_once_copy()
{
    local prefix

    prefix=$(dirname "$(dirname "$1")")
    rm -rf "$2"
    mkdir -p "$2/bin"
    ln -s "$prefix/lib" "$prefix/share" "$2"
    "$BOX_SOURCE/lib/inject-once.py" "$1" "$2/bin/copy" || return 1
    chmod +x "$2/bin/copy"
    mv "$2/bin/copy" "$2/bin/qemu-system-x86_64"
    sha256sum <"$1" >"$2/of"
}

# Sets HOST_QEMU.
inject_once_prepare()
{
    local folder=$BOX_HOST/qemu original

    [[ $HOST_HVM == yes && $HOST_ACCEL == tcg ]] || return 0
    original=$(command -v qemu-system-x86_64)
    sha256sum <"$original" | cmp -s - "$folder/of" ||
        inject_once_copy "$original" "$folder" || {
        say "$original is none that could be mended (tests/host/lib/inject-once.py):" \
            "PVH and HVM domains may hang or crash"
        return 0
    }
    HOST_QEMU=$folder/bin/qemu-system-x86_64
}
