#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the patched hypervisor in variants: with the oldest GCC of Debian 12, with clang,
# with other options of Kconfig, and for ARM; 32-bit ARM is without the log.  A site that
# is no NOP fails the link, so a variant that builds has NOPs at all sites.
#
#   compilers.sh             all variants, minutes each
#   compilers.sh NAME...     these
#
# All of them are built in one tree, build/xen/variant, one after the other.
# Needs `make xen` and the packages of `tests/setup.sh --full`.  Writes TAP.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/xen-patches/lib/paths.sh"
. "$PATCHES/lib/xenmake.sh"
. "$PATCHES/lib/variant.sh"
. "$TOP/tests/tap.sh"

TREE=$XEN/variant

# name ; variables of make ; lines of the configuration, which must be taken
variants()
{
    local oldest

    # Debian 13 has no gcc-11 any more.
    oldest=$(command -v gcc-11 gcc-12 | head -n 1)
    oldest=${oldest##*/}
    cat <<END
oldest-gcc;CC=$oldest HOSTCC=$oldest;
clang;clang=y;
frame-pointer;;CONFIG_FRAME_POINTER=y
ubsan;;CONFIG_UBSAN=y
no-pv;;# CONFIG_PV is not set
arm64;XEN_TARGET_ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-;
arm32;XEN_TARGET_ARCH=arm32 CROSS_COMPILE=arm-linux-gnueabihf-;
END
}

has_log() { [[ $variables != *arm32* ]]; }

# make_variant ARGUMENT...: with the variables of this one
make_variant()
{
    # shellcheck disable=SC2086 # several
    xen_make "$TREE/xen" $variables "$@"
}

# Xen's default configuration, with ours and that of the variant where it is ours.
configure()
{
    local config=$TREE/xen/.config

    make_variant defconfig
    if has_log; then
        { cat "$RELEASE_DIR/config"; echo "$option"; } >> "$config"
        make_variant olddefconfig
        grep -qx CONFIG_SCHEDLOG=y "$config" ||
            { echo "Kconfig takes no CONFIG_SCHEDLOG"; return 1; }
    fi
    [ -z "$option" ] || grep -qxF -- "$option" "$config" ||
        { echo "Kconfig does not take $option"; return 1; }
}

# build: prints the end of make's output if the build fails
build()
{
    local log=$BUILD/log/variant-$name

    mkdir -p "$BUILD/log"
    if ! { variant_sources "$TREE" && make_variant distclean &&
           configure && make_variant; } > "$log" 2>&1; then
        grep -E 'rror|Kconfig' "$log" | tail -n 20
        tail -n 5 "$log"
        return 1
    fi
}

variant_need_patched
lock
if [ $# -eq 0 ]; then
    mapfile -t wanted < <(variants | cut -d ';' -f 1)
else
    wanted=("$@")
fi
echo "1..${#wanted[@]}"
for name in "${wanted[@]}"; do
    line=$(variants | grep "^$name;") ||
        die "There is no variant $name." "Known: $(variants | cut -d ';' -f 1 |
            paste -sd ' ')"
    IFS=';' read -r _ variables option <<< "$line"
    check "the hypervisor builds: $name" build
done
rm -rf "$TREE"
