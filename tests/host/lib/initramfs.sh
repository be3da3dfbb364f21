# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The initramfs that dom0 boots from: busybox, the toolstack and xensched's programs with their
# libraries, the kernel modules that a Xen host needs, and the files of tests/host/dom0. Guests'
# initramfs lacks the daemon and the command, whose libraries are half of it: a guest has to unpack
# it into half of its memory.  Both are made again only when a part has changed.  Needs no root,
# because there are no device nodes.
#
# Gives: $BOX_HOST/boot/initramfs.cpio, $BOX_HOST/boot/guest.cpio

# Programs of the toolstack that an operator or a test uses.
INITRAMFS_TOOLSTACK=(
    usr/sbin/{xl,xenstored,xenconsoled,xentrace,xenpm,xenperf,xenhypfs}
    usr/bin/xenstore-{read,write,ls,rm,list,exists,watch,chmod,control} usr/bin/xenalyze
    usr/lib/xen/bin/{xen-init-dom0,xenconsole,libxl-save-helper}
)
# Xen has it on x86 only.
[[ $BOX_ARCH != x86_64 ]] || INITRAMFS_TOOLSTACK+=(usr/sbin/xen-hptool)
readonly INITRAMFS_TOOLSTACK

# Loaded with their dependencies; the init scripts choose.  A question mark is for modules that only
# older kernels have.
readonly INITRAMFS_MODULES=(
    xen-evtchn xen-gntdev xen-gntalloc xen-privcmd xenfs
    xen-blkback xen-blkfront brd null_blk xen-netfront
    virtio_pci 9pnet_virtio 9p
)

# Modules of dom0 alone, which serves networks.
INITRAMFS_DOM0_MODULES=(
    xen-netback bridge 'crc32c_generic?' nf_tables nft_meta_bridge virtio_net
)
[[ $BOX_ARCH != arm64 ]] || INITRAMFS_DOM0_MODULES+=(virtio_mmio)
readonly INITRAMFS_DOM0_MODULES

initramfs_programs()
{
    [[ -d $BOX_TOOLS ]] || return 0
    find "$BOX_TOOLS" -type f -perm -u+x ! -name '*.so*' ! -name '*.o'
}

# xensched's modules for the box's kernel, if they were built.
initramfs_drivers()
{
    local release

    release=$(basename "$(readlink "$BOX_HOST/kernel/modules")")
    [[ -d $BOX_DRIVERS/$release ]] || return 0
    find "$BOX_DRIVERS/$release" -name '*.ko'
}

# Prints everything in it, with size and time: an equal text means an equal file.
initramfs_inputs()
{
    local places=("$BOX_SOURCE/dom0" "$BOX_SOURCE/guests"
                  "$BOX_SOURCE/lib/initramfs.sh" "$BOX_HOST/programs"
                  "$BOX_HOST/kernel/package" "$BOX_BLKBACK_MODPROBE"
                  "$(box_busybox)")

    places+=("${INITRAMFS_TOOLSTACK[@]/#/$BOX_TOOLSTACK/}" "$BOX_TOOLSTACK/usr/lib")
    [[ -d $BOX_TOOLS ]] && places+=("$BOX_TOOLS")
    mapfile -t -O "${#places[@]}" places < <(initramfs_drivers)
    find "${places[@]}" -type f -printf '%p %s %T@\n' | sort
}

# The program, of the box's architecture.
box_busybox()
{
    case $BOX_ARCH in
    arm64) echo "$BOX_SYSROOT/bin/busybox" ;;
    *)     command -v busybox ;;
    esac
}

install_busybox()
{
    local applet

    # Debian's busybox is static in the package busybox-static only.
    if ldd "$(command -v busybox)" >/dev/null 2>&1; then
        die "$BOX_EXIT_MISSING" "busybox is not static:" \
            "apt-get install busybox-static"
    fi
    mkdir -p "$1/bin"
    cp "$(box_busybox)" "$1/bin/busybox"
    busybox --list | while read -r applet; do
        [[ $applet == busybox ]] || ln -s busybox "$1/bin/$applet"
    done
}

install_toolstack()
{
    local file

    for file in "${INITRAMFS_TOOLSTACK[@]}"; do
        need_file "$BOX_TOOLSTACK/$file" "a part of the toolstack" "run make xen"
        install -D "$BOX_TOOLSTACK/$file" "$1/$file"
    done
}

install_programs()
{
    local file

    mkdir -p "$1/usr/bin"
    initramfs_programs | while read -r file; do
        cp "$file" "$1/usr/bin/"
    done
    find "$BOX_HOST/programs" -type f -perm -u+x -exec cp -t "$1/usr/bin" {} +
}

# foreign_ldd FILE...: prints what ldd would, for programs that this machine cannot execute.
foreign_ldd()
{
    local folders=("$BOX_TOOLSTACK/usr/lib" "$BOX_TOOLS" "$BOX_SYSROOT"/lib/*-linux-gnu)
    local -A seen
    local files=("$@") names name file

    while [[ ${#files[@]} -gt 0 ]]; do
        mapfile -t names < <("${BOX_CROSS}readelf" -d "${files[@]}" 2>/dev/null |
            sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u)
        files=()
        for name in "${names[@]}"; do
            [[ -z ${seen[$name]-} ]] || continue
            seen[$name]=yes
            file=$(find "${folders[@]}" -maxdepth 1 -name "$name" -print -quit)
            echo "$name => ${file:-not found} (0)"
            [[ -z $file ]] || files+=("$file")
        done
    done
}

# libraries_of ROOT: prints the libraries in these folders that programs of ROOT need, without the
# needs of libraries (leave_out). Those of the build come first, because the machine may have a
# libxenctrl of another release.
libraries_of()
{
    local path=$BOX_TOOLSTACK/usr/lib:$BOX_TOOLS list programs

    mapfile -t programs < <(find "$1"/usr/{bin,sbin,lib/{xen,systemd}} -type f \
        -perm -u+x 2>/dev/null)
    case $BOX_ARCH in
    arm64) list=$(foreign_ldd "${programs[@]}") ;;
    *)     list=$(LD_LIBRARY_PATH=$path ldd "${programs[@]}" 2>/dev/null || true) ;;
    esac
    if grep -q 'not found' <<<"$list"; then
        die "$BOX_EXIT_MISSING" "a library is missing:" \
            "$(grep 'not found' <<<"$list" | sort -u)"
    fi
    sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' <<<"$list" | sort -u
}

# The dynamic linker; and a library that is not linked, but loaded by libc when a thread
# is cancelled, as xl does.
install_loader()
{
    case $BOX_ARCH in
    arm64)
        install -D "$BOX_SYSROOT/lib/ld-linux-aarch64.so.1" -t "$1/lib"
        cp -L "$BOX_SYSROOT"/lib/*-linux-gnu/libgcc_s.so.1 "$1/usr/lib" ;;
    *)
        install -D /lib64/ld-linux-x86-64.so.2 -t "$1/lib64"
        cp -L "$(ldconfig -p | sed -n '/x86-64/s/.*libgcc_s.so.1.* => //p;')" \
            "$1/usr/lib" ;;
    esac
}

install_libraries()
{
    local list

    list=$(libraries_of "$1")
    mkdir -p "$1/usr/lib"
    xargs -r cp -L -t "$1/usr/lib" <<<"$list"
    install_loader "$1"
    find "$1/usr" -type f -exec "${BOX_CROSS}strip" --strip-unneeded {} + 2>/dev/null ||
        true
}

# module_file NAME: prints its path, in either spelling; nothing if it is built in.
module_file()
{
    local name=${1//[-_]/[-_]}

    find "$BOX_HOST/kernel/modules/" -name "$name.ko*" -print -quit
}

# install_module ROOT-OF-MODULES NAME: installs it after its dependencies.
install_module()
{
    local name=${2%\?} file to depends

    file=$(module_file "$name")
    if [[ -z $file ]]; then
        [[ $2 == *\? ]] ||
            grep -q "/${name//[-_]/[-_]}.ko" "$BOX_HOST/kernel/modules/modules.builtin" ||
            die "$BOX_EXIT_MISSING" "the kernel has no module $name"
        return
    fi
    to=$1/$(basename "${file%.ko*}").ko
    [[ -f $to ]] && return
    case $file in
    *.xz)  xz -dc "$file" ;;
    *.zst) need_command zstd zstd; zstd -dcq "$file" ;;
    *)     cat "$file" ;;
    esac >"$to"
    depends=$(tr '\0' '\n' <"$to" | sed -n 's/^depends=//p')
    for depends in ${depends//,/ }; do
        install_module "$1" "$depends"
    done
}

# Kept apart from the kernel's own: a test chooses which to load.
install_drivers()
{
    mkdir -p "$1/lib/xensched"
    initramfs_drivers | xargs -r cp -t "$1/lib/xensched"
    cp "$BOX_BLKBACK_MODPROBE" "$1/lib/xensched/modprobe.conf"
    find "$1/lib/xensched" -name '*.ko' -exec "${BOX_CROSS}strip" --strip-debug {} +
}

# install_modules ROOT MODULE...
install_modules()
{
    local root=$1 release module

    shift
    release=$(basename "$(readlink "$BOX_HOST/kernel/modules")")
    mkdir -p "$root/lib/modules/$release"
    for module in "$@"; do
        install_module "$root/lib/modules/$release" "$module"
    done
    busybox depmod -b "$root" "$release"
    # So that modprobe is silent about what needs no loading.
    cp "$BOX_HOST/kernel/modules/modules.builtin" "$root/lib/modules/$release/"
}

# For programs that draw on a terminal, such as xensched top.  ncurses looks for it below /usr/share
# since Debian 13.
install_terminals()
{
    local name folder=/lib/terminfo

    [[ -f $folder/l/linux ]] || folder=/usr/share/terminfo
    for name in linux vt102; do
        need_file "$folder/${name:0:1}/$name" "a terminal's description" \
            "apt-get install ncurses-base"
        install -D -m 644 "$folder/${name:0:1}/$name" -t "$1$folder/${name:0:1}"
    done
}

# leave_out ROOT PROGRAM...: removes them, and the libraries that no other program needs.
leave_out()
{
    local root=$1 list library

    shift
    (cd "$root/usr/bin" && rm -f "$@")
    list=$(libraries_of "$root" | sed 's/.*\///')
    find "$root/usr/lib" -maxdepth 1 -name '*.so.*' ! -name 'libgcc_s.*' |
        while read -r library; do
            grep -qxF "${library##*/}" <<<"$list" || rm "$library"
        done
}

# pack ROOT: writes the archive to stdout.
pack()
{
    (cd "$1" && find . | busybox cpio -o -H newc -R 0:0 2>/dev/null)
}

# initramfs_build DOM0 GUEST: makes the two files.
initramfs_build()
{
    local root=$BOX_HOST/initramfs

    rm -rf "$root"
    mkdir -p "$root"/{dev,proc,sys,run,tmp,root,box,boot,var/lib/xen,var/log/xen}
    ln -s ../run "$root/var/run"
    cp -r "$BOX_SOURCE/dom0/." "$root"
    cp -r "$BOX_SOURCE/guests" "$root/usr/lib/box/guests"
    install_busybox "$root"
    install_toolstack "$root"
    install_programs "$root"
    install_libraries "$root"
    install_modules "$root" "${INITRAMFS_MODULES[@]}" "${INITRAMFS_DOM0_MODULES[@]}"
    install_drivers "$root"
    install_terminals "$root"
    pack "$root" >"$1"
    leave_out "$root" xensched xensched-lab xensched-fleet xenschedd
    rm -r "$root/lib/modules"
    install_modules "$root" "${INITRAMFS_MODULES[@]}"
    pack "$root" >"$2"
}

initramfs_prepare()
{
    local boot=$BOX_HOST/boot inputs

    need_command busybox busybox-static
    mkdir -p "$boot"
    inputs=$(initramfs_inputs)
    if [[ -f $boot/initramfs.cpio && -f $boot/guest.cpio &&
          -f $BOX_HOST/initramfs.inputs &&
          $(<"$BOX_HOST/initramfs.inputs") == "$inputs" ]]; then
        return
    fi
    say "making the initramfs"
    initramfs_build "$boot/initramfs.cpio.new" "$boot/guest.cpio.new"
    mv "$boot/guest.cpio.new" "$boot/guest.cpio"
    mv "$boot/initramfs.cpio.new" "$boot/initramfs.cpio"
    ln -f "$BOX_HOST/kernel/vmlinux" "$boot/vmlinux"
    printf '%s\n' "$inputs" >"$BOX_HOST/initramfs.inputs"
}
