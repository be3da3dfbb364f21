#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Install the Debian packages that building and testing need and that are
# missing here, on Debian 12 and 13.  When nothing is missing it does nothing and
# asks nothing.  With --full also those which only `make test-full` needs.  No
# kernel, no Xen and no daemon is ever installed on this machine: those run in QEMU
# only.

set -euo pipefail
FULL=${1:-}

# Package and reason, one per line.  A|B is the first of them that apt knows:
# Debian releases have different series of Linux.
all_packages()
{
    cat <<'END'
build-essential    compiler and make
bison              Xen's configuration tool
flex               Xen's configuration tool
autoconf           the toolstack of Debian's source package
python3            Xen's code generators
python3-dev        Xen's configure insists on it
acpica-tools       iasl: ACPI tables in Xen's libxenlight
uuid-dev           Xen's libxenlight
libyajl-dev        Xen's libxenlight
zlib1g-dev         Xen's libxenguest; checksums of recordings
libzstd-dev        recordings
liblzma-dev        Xen's libxenguest: guest kernels are compressed with xz
libncurses-dev     xensched top; Xen's configure insists on it
git                patches: apply, edit, refresh
patch              patches of kernel modules
xz-utils           the Xen tarball
qemu-system-x86    the Xen host in a box
qemu-system-arm    a host for arm64
device-tree-compiler   caches of its processors
gcc-aarch64-linux-gnu    the hypervisor for arm64
libc6-dev-arm64-cross    programs for its dom0
busybox-static     user space of dom0 and guests in the box
cpio               their initial RAM disks
kmod               their kernel modules
zstd               their kernel modules on Debian 13
fio                a workload of guests in the box
postmark           a workload of guests in the box
systemd            what starts the daemon in the box
gnuplot-nox        plots of benchmarks
pkgconf            libraries of our tools
libjson-c-dev      output in JSON
libev-dev          the event loop of xenschedd
libprotobuf-c-dev  traces for Perfetto
protobuf-c-compiler     the same
protobuf-compiler  a test decodes these traces
libsqlite3-dev     the database of runs
libgsl-dev         statistics of runs, and their order
libbabeltrace2-dev CTF traces
babeltrace2        a test decodes these traces
libcmocka-dev      unit tests
linux-source-6.1|linux-source-6.12   xen-blkback, which we patch
libelf1t64|libelf1 objtool, which looks at kernel modules
pahole             kernel modules for Linux 6.12: type information
sparse             tests of our kernel modules
clang              fuzz targets
libclang-rt-dev    libFuzzer and the sanitizers of clang
checkpolicy        tests of Xen's FLASK policy
nftables           xensched traffic, in tests
curl               xensched fleet, in tests
iproute2           networks of these tests
shellcheck         make lint
debootstrap        make machine, and other Debian releases in make test-full
END
    [ "$FULL" != --full ] || cat <<'END'
qemu-system-xen    the device model of HVM guests in the box
linux-source-6.12  xen-blkback on another Linux
gcc-11|gcc-12      the oldest GCC that there is: does the hypervisor build?
qemu-user-static|qemu-user   programs for arm64
gcc-arm-linux-gnueabihf  the hypervisor for ARM, 32 bits
fdisk              the disk of a host that GRUB boots
ovmf               the same by UEFI
bc                 a Linux that checks itself
libelf-dev         a Linux that checks itself: objtool
END
}

die()
{
    printf 'setup: error: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '    %s\n' "$@" >&2
    exit 1
}

installed()
{
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

# choose A|B: prints the package to use here: one that is installed, else one
# that apt knows.  If it knows none of them, as before its first update, the last.
choose()
{
    local package

    for package in ${1//|/ }; do
        ! installed "$package" || { echo "$package"; return; }
    done
    for package in ${1//|/ }; do
        apt-cache show "$package" > /dev/null 2>&1 && break
    done
    echo "$package"
}

packages()
{
    local word reason

    all_packages | while read -r word reason; do
        [[ $word != *'|'* ]] || word=$(choose "$word")
        printf '%-18s %s\n' "$word" "$reason"
    done
}

command -v apt-get > /dev/null ||
    die "This is not a Debian system." \
        "Install by your own means what these Debian packages hold:" \
        "$(packages | awk '{ print $1 }' | paste -sd ' ')"

find_missing()
{
    local package

    wanted=$(packages)      # apt is slow: it is asked once
    missing=()
    for package in $(cut -d ' ' -f 1 <<< "$wanted"); do
        installed "$package" || missing+=("$package")
    done
    install=(apt-get install -y --no-install-recommends "${missing[@]}")
}

find_missing
[ ${#missing[@]} -gt 0 ] || exit 0

echo "Packages that are missing here, and what they are for:"
for package in "${missing[@]}"; do
    grep "^$package " <<< "$wanted"
done | sed 's/^/  /'

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null ||
        die "Installing them needs root, and there is no sudo." \
            "Run this as root, then repeat the command:" "${install[*]}"
    as_root=(sudo)
    echo "They are installed with sudo, which may ask for your password."
fi

run() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@"; }

log=$(mktemp)
trap 'rm -f "$log"' EXIT
printf 'Installing ... '
if ! { run apt-get update -q && find_missing && run "${install[@]}"; } \
    > "$log" 2>&1 < /dev/null
then
    echo FAILED
    tail -n 20 "$log" | sed 's/^/    | /' >&2
    die "apt-get could not install the packages." \
        "No network, or no Debian mirror that answers? When that is mended," \
        "repeat the command, or run as root: ${install[*]}"
fi
echo "done."
