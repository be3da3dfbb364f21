# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How Xen's own build is called: in an environment without the caller's
# variables, with dates and names that do not depend on the day, the person or
# the machine.  Two builds of the same tree are then the same.  A patch of Debian's
# shows the DEB_ variables in the first line that Xen prints.

# xen_env TREE COMMAND...
xen_env()
{
    local tree=$1

    shift
    env -i PATH="$PATH" HOME="${HOME:-/}" LC_ALL=C \
        SOURCE_DATE_EPOCH="$(stat -c %Y "$tree/COPYING")" \
        XEN_WHOAMI=xensched XEN_DOMAIN=localdomain XEN_BUILD_HOST=build \
        DEB_VERSION="$(cat "$tree/.scmversion" 2> /dev/null)" \
        DEB_MAINTAINER='xensched <xensched@localdomain>' \
        "$@"
}

# What Xen's make has to be told to build for $ARCH.
case $ARCH in
x86_64) ARCH_OPTIONS=() ;;
arm64)  ARCH_OPTIONS=(XEN_TARGET_ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-) ;;
*)      die "There is no Xen with the log for this architecture: $ARCH" \
            "Known: x86_64 arm64. Set XEN_ARCH to one of them." ;;
esac

# xen_make TREE ARGUMENT...: make in TREE, on all CPUs.
xen_make()
{
    local tree=$1

    shift
    xen_env "$tree" make -C "$tree" -j"$(nproc)" "${ARCH_OPTIONS[@]}" "$@"
}
