#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The Debian packages for arm64, which `make deb XEN_ARCH=arm64` builds in a root of Debian
# 12 for x86: every program and library in them is for arm64; apt finds their dependencies;
# the hypervisor is a file that UEFI and boot loaders of boards accept; the installed command
# runs under QEMU's emulation of a program; DKMS builds the modules for a kernel of arm64.
# Fails if something of x86 is left in a package.  No kernel and no Xen runs here.
# Needs root.  Writes TAP.

# shellcheck source=tests/packages/host.sh
. "$(dirname "$0")/host.sh"

SUITE=bookworm XEN=4.17
HOST=$ROOTS/$SUITE.arm64        # a build root: packages for arm64 replace some for x86
DEBS=$HOST/xensched/build/arm64/deb
FILES=$HOST/files               # the packages for arm64, unpacked
PROGRAMS=(xensched xenschedd xensched-lab xensched-fleet xensched-disks xensched-mark
    xensched-agent)

with_arm64()
{
    make_root "$SUITE" "$HOST" && copy_tree "$HOST" &&
        inside dpkg --add-architecture arm64 && apt_get update &&
        apt_get install build-essential crossbuild-essential-arm64 fakeroot
}

build()
{
    run_in "$HOST" /xensched sh -euc '
        make deb XEN_ARCH=arm64 || {
            apt-get -q -y --no-install-recommends build-dep --host-architecture arm64 \
                ./build/arm64/deb/xensched
            make deb XEN_ARCH=arm64; }'
}

# unpack: unpacks each package into a separate folder.
unpack()
{
    local deb

    rm -rf "$FILES"
    mkdir -p "$FILES"
    for deb in "$DEBS"/*_arm64.deb; do
        dpkg-deb -x "$deb" "$FILES/$(dpkg-deb -f "$deb" Package)" || return
    done
    ls "$FILES"
}

all_are_made()
{
    local name

    unpack || return
    for name in libxensched0 libxensched-dev xensched xensched-lab xensched-fleet \
        xensched-disks xensched-mark "xen-hypervisor-$XEN-arm64-schedlog"; do
        [ -d "$FILES/$name" ] || { echo "no package $name"; return 1; }
    done
    ! find "$DEBS" -maxdepth 1 -name '*amd64*' | grep .
}

# The machine that each program and library is for, and its name.
elf_files()
{
    find "$FILES" -type f -print0 | xargs -0 readelf -h 2> /dev/null |
        awk '/^File: / { file = $2 } /^ *Machine:/ { $1 = ""; print $0, file }'
}

all_is_for_arm64()
{
    local name count

    elf_files
    count=$(elf_files | grep -c '^ AArch64 ')
    [ "$count" -gt ${#PROGRAMS[@]} ] && ! elf_files | grep -v '^ AArch64 ' || return
    for name in "${PROGRAMS[@]}"; do
        [ -n "$(find "$FILES" -path "*bin/$name" -type f)" ] || { echo "no $name"; return 1; }
    done
    [ -e "$FILES/libxensched0/usr/lib/aarch64-linux-gnu/libxensched.so.0" ] &&
        ! grep -r 'amd64\|x86_64' "$FILES"/*/{etc,usr/lib/systemd,lib/systemd} 2> /dev/null
}

# The header of Linux's arm64 images, which boot loaders of boards read; UEFI reads the
# "MZ" before it.
boots()
{
    local folder=$FILES/xen-hypervisor-$XEN-arm64-schedlog
    local image=$folder/boot/schedlog-xen-$XEN-arm64.efi

    ls -l "$folder/boot"
    [ "$(head -c 2 "$image")" = MZ ] &&
        [ "$(tail -c +57 "$image" | head -c 4)" = ARMd ] &&
        grep '^CONFIG_ARM_64=y' "${image%.efi}.config" &&
        grep '^CONFIG_SCHEDLOG=y' "${image%.efi}.config" &&
        grep -F "load_xen=xen_hypervisor" "$folder/etc/grub.d/21_xen-$XEN-schedlog" &&
        ! grep -r '@[A-Z]*@' "$folder/etc"
}

depends_on_libraries()
{
    local depends

    depends=$(dpkg-deb -f "$DEBS"/xensched_*_arm64.deb Depends)
    echo "$depends"
    grep -E '(^|, )libc6 \(>= ' <<< "$depends" && grep "libxenmisc$XEN" <<< "$depends" &&
        grep -E 'libxenctrl|libxenstore' <<< "$depends" || return
    dpkg-deb -f "$DEBS"/xensched_*_arm64.deb Recommends |
        grep "xen-hypervisor-$XEN-arm64-schedlog" | grep -v amd64
}

# install PATTERN: installs the packages with these names, except those for debugging.
install()
{
    # shellcheck disable=SC2046 # names without blanks
    apt_get install $(find "$DEBS" -maxdepth 1 -name "$1" ! -name '*dbgsym*' \
        -printf "${DEBS#"$HOST"}/%f\n") && inside dpkg --audit
}

# emulated PROGRAM ARGUMENT...: runs a program for arm64 in the root.
emulated()
{
    cp "$EMULATOR" "$HOST/usr/bin/qemu-aarch64-static" &&
        inside qemu-aarch64-static -L / "$@"
}

command_runs()
{
    emulated /usr/sbin/xensched --version | grep '^xensched [0-9]' &&
        emulated /usr/sbin/xenschedd --help | grep -e --mode &&
        emulated /usr/bin/xensched-mark --help
}

# The reason must be the missing Xen, and not the architecture.
says_why_not()
{
    local said rc=0

    said=$(emulated /usr/sbin/xensched check --can-start 2>&1) || rc=$?
    echo "$said"
    [ "$rc" -eq 1 ] && grep -q 'xenschedd cannot start here: .*Xen' <<< "$said"
}

# Headers for arm64; the programs that build with them are those of x86.  They are unpacked:
# apt would install a compiler that runs on arm64.  The packages of DKMS come first: else
# they build for the kernel when they are installed, as on a host of x86.
with_kernel()
{
    local headers

    rm -rf "$HOST/usr/lib/modules"
    apt_get install dkms pahole && install '*-dkms_*_all.deb' || return
    headers=$(inside apt-cache depends linux-headers-arm64:arm64 |
        sed -n 's/^ *Depends: \(linux-headers-[0-9][^:]*\).*/\1/p')
    apt_get install linux-source-6.1 linux-kbuild-6.1 "${headers%-arm64}-common" &&
        run_in "$HOST" /tmp apt-get -q download "$headers:arm64" &&
        dpkg-deb --fsys-tarfile "$HOST/tmp/$headers"_*.deb |
            tar -xf - -C "$HOST" --keep-directory-symlink
}

kernel() { basename "$(find "$HOST/lib/modules" -maxdepth 1 -name '*-arm64')"; }

# modules_of PACKAGE NAME...
modules_of()
{
    local folder name

    inside env ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- \
        dkms build "$1/0.1" -k "$(kernel)" -a aarch64 || return
    folder=$HOST/var/lib/dkms/$1/0.1/$(kernel)/aarch64/module
    for name in "${@:2}"; do
        xz -dqf "$folder/$name.ko.xz" 2> /dev/null || :
        readelf -h "$folder/$name.ko" | grep AArch64 || return
    done
}

root_or_skip
EMULATOR=$(command -v qemu-aarch64-static || command -v qemu-aarch64) ||
    { echo "1..0 # SKIP no qemu-aarch64: 'make setup' with --full installs it"; exit; }
mkdir -p "$ROOTS"
tests=(
    "a root has a compiler for arm64"                   "quietly with_arm64"
    "make deb XEN_ARCH=arm64 makes the packages"        "quietly build"
    "all of them, and none for x86"                     all_are_made
    "every program and library in them is for arm64"    all_is_for_arm64
    "the hypervisor can be booted by UEFI and by a board's loader"  boots
    "they depend on the libraries with which they were linked" depends_on_libraries
    "apt installs them, and all that they depend on"    "quietly install *_arm64.deb"
    "the commands run"                                  command_runs
    "check reports why the daemon does not start here"  says_why_not
    "there are headers of a kernel for arm64"           "quietly with_kernel"
    "DKMS builds the log's modules for it" \
        "quietly modules_of xensched-log xensched_log xensched_guest xensched_ring"
    "and xen-blkback"       "quietly modules_of xen-blkback-xensched xen-blkback"
)
echo "1..$((${#tests[@]} / 2))"
for ((i = 0; i < ${#tests[@]}; i += 2)); do
    read -ra words <<< "${tests[i + 1]}"
    check "${tests[i]}" "${words[@]}"
done
