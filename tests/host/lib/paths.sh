# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Where the parts of the host in a box are, and how its scripts end if one is missing.  Each place
# can be set from outside; no other file of tests/host may use a path below build/.

BOX_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# With XEN_RELEASE=X.Y or XEN_ARCH=arm64 what was built for these, as in xen-patches/lib/paths.sh.
BOX_TOP_BUILD=$(cd "$BOX_SOURCE/../.." && pwd)/build
BOX_ARCH=${XEN_ARCH:-x86_64}
case ${XEN_RELEASE:-4.20},$BOX_ARCH in
4.20,x86_64) BOX_BUILD=${BOX_BUILD:-$BOX_TOP_BUILD} ;;
*,x86_64)    BOX_BUILD=${BOX_BUILD:-$BOX_TOP_BUILD/$XEN_RELEASE} ;;
4.20,*)      BOX_BUILD=${BOX_BUILD:-$BOX_TOP_BUILD/$BOX_ARCH} ;;
*)           BOX_BUILD=${BOX_BUILD:-$BOX_TOP_BUILD/$XEN_RELEASE/$BOX_ARCH} ;;
esac

# What boots: hypervisors, toolstack, xensched's programs.
BOX_XEN_PATCHED=${BOX_XEN_PATCHED:-$BOX_BUILD/xen/patched/xen/xen}
BOX_XEN_NATIVE=${BOX_XEN_NATIVE:-$BOX_BUILD/xen/native/xen/xen}
BOX_DIST=${BOX_DIST:-$BOX_BUILD/dist}
BOX_TOOLSTACK=${BOX_TOOLSTACK:-$BOX_DIST}               # that of dom0
BOX_TOOLS=${BOX_TOOLS:-$BOX_BUILD/tools}
BOX_DRIVERS=${BOX_DRIVERS:-$BOX_TOP_BUILD/guest-drivers}   # by kernel release, which
                                                        # names the architecture
# modprobe's configuration with the place of xensched's xen-blkback.
BOX_BLKBACK_MODPROBE=${BOX_BLKBACK_MODPROBE:-$BOX_SOURCE/../../guest-drivers/dkms/modprobe.conf}

# Differences between architectures: Debian's name and the compiler's prefix; and, if it is not
# this machine's own, Debian's libraries (xen-patches/sysroot.sh).
# shellcheck disable=SC2034 # used by scripts that source this file
BOX_DEBIAN_ARCH=amd64 BOX_CROSS='' BOX_SYSROOT=
# shellcheck disable=SC2034
[[ $BOX_ARCH != arm64 ]] || BOX_DEBIAN_ARCH=arm64 BOX_CROSS=aarch64-linux-gnu-

# The machine model and the descriptions of machines.
BOX_MACHINE=${BOX_MACHINE:-$BOX_SOURCE/../machine}

# The QEMU of mode timed, which 'make machine' builds.
BOX_TIMED_QEMU=${BOX_TIMED_QEMU:-$BOX_TOP_BUILD/machine/qemu-system-x86_64}

# A kernel package of your own, in place of the one of this Debian release.
BOX_KERNEL_DEB=${BOX_KERNEL_DEB:-}

# KVM for hosts in fast mode: yes, no, or if it works (accel.sh).
BOX_KVM=${BOX_KVM:-probe}
BOX_KVM_DEVICE=${BOX_KVM_DEVICE:-/dev/kvm}

# What the box makes and keeps.
BOX_CACHE=${BOX_CACHE:-$BOX_TOP_BUILD/cache}
BOX_HOST=${BOX_HOST:-$BOX_BUILD/host}
BOX_KVM_KEPT=${BOX_KVM_KEPT:-$BOX_HOST/kvm}     # whether it works
BOX_RUNS=${BOX_RUNS:-$BOX_HOST/runs}

# Exit codes of the box itself (sysexits.h); all others are the script's.
# shellcheck disable=SC2034 # used by scripts that source this file
readonly BOX_EXIT_USAGE=64 BOX_EXIT_MISSING=69 BOX_EXIT_DIED=70 \
         BOX_EXIT_STUCK=71 BOX_EXIT_CLOCK=72 BOX_EXIT_TIMEOUT=124

say()
{
    printf 'box: %s\n' "$*" >&2
}

# die CODE MESSAGE...
die()
{
    local code=$1

    shift
    say "$@"
    exit "$code"
}

# need_file FILE WHAT REMEDY
need_file()
{
    [[ -f $1 ]] || die "$BOX_EXIT_MISSING" "$2 is missing ($1): $3"
}

# need_command COMMAND DEBIAN-PACKAGE
need_command()
{
    command -v "$1" >/dev/null ||
        die "$BOX_EXIT_MISSING" "$1 is missing: apt-get install $2"
}
