# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The kernel of dom0 and of the guests: Debian's own, unpacked below build/ and never installed.
# Work that would take seconds in each emulated domain is done here once: the ELF image is extracted
# from the bzImage, and a limit is lowered.  arm64's kernel is an image already.
#
# Gives: $BOX_HOST/kernel/vmlinux, $BOX_HOST/kernel/modules/ (its modules).

# shellcheck source=../../../xen-patches/lib/arm64-apt.sh
. "$BOX_SOURCE/../../xen-patches/lib/arm64-apt.sh"

# box_apt PROGRAM ARGUMENT...: runs it for the box's architecture.
box_apt()
{
    case $BOX_ARCH in
    arm64) arm64_apt "$BOX_CACHE/arm64" "$@" ;;
    # apt's own user may not be able to write to a build folder.
    *)     "$1" -qq -o APT::Sandbox::User=root "${@:2}" ;;
    esac
}

# Prints how to replace package lists that are too old.
box_apt_remedy()
{
    case $BOX_ARCH in
    arm64) echo "remove $BOX_CACHE/arm64" ;;
    *)     echo "run apt-get update" ;;
    esac
}

kernel_package_name()
{
    local meta=linux-image-$BOX_DEBIAN_ARCH name

    name=$(box_apt apt-cache depends "$meta" 2>/dev/null |
           sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p')
    [[ -n $name ]] ||
        die "$BOX_EXIT_MISSING" "apt knows no package $meta:" \
            "$(box_apt_remedy), or set BOX_KERNEL_DEB to a kernel package"
    printf '%s\n' "$name"
}

# kernel_file NAME FOLDER: prints the file of a package there; downloads it if necessary.
kernel_file()
{
    local deb

    mkdir -p "$2"
    deb=$(find "$2" -maxdepth 1 -name "${1}_*.deb" -print -quit)
    if [[ -z $deb ]]; then
        say "downloading $1"
        (cd "$2" && box_apt apt-get download "$1" >&2) ||
            die "$BOX_EXIT_MISSING" "could not download $1: is there a" \
                "network?  If its version is gone, $(box_apt_remedy), or set" \
                "BOX_KERNEL_DEB to a kernel package"
        deb=$(find "$2" -maxdepth 1 -name "${1}_*.deb" -print -quit)
    fi
    printf '%s\n' "$deb"
}

# Prints the file name of the package.
kernel_package()
{
    local name

    if [[ -n $BOX_KERNEL_DEB ]]; then
        need_file "$BOX_KERNEL_DEB" "the kernel package" "see BOX_KERNEL_DEB"
        realpath "$BOX_KERNEL_DEB"
        return
    fi

    name=$(kernel_package_name)
    kernel_file "$name" "$BOX_CACHE"
}

# kernel_parts DEB: as of Linux 7 Debian's package of a kernel has nothing but others that
# it depends on, each with a part.  They lie beside it, or are downloaded to there.
kernel_parts()
{
    local release part

    release=$(dpkg-deb -f "$1" Package)
    release=${release#linux-image-}
    dpkg-deb -f "$1" Depends | tr ',' '\n' |
        sed -n "s/^ *\(linux-[a-z]*-${release//./\\.}\) (= .*/\1/p" |
        while read -r part; do
            kernel_file "$part" "$(dirname "$1")"
        done
}

# decompress FILE: to stdout, in any format.  The kernel appends a length to the stream, about which
# all programs complain.
decompress()
{
    case $(od -An -tx1 -N4 "$1" | tr -d ' ') in
    1f8b*)    gzip -dc "$1" 2>/dev/null || true ;;
    fd377a58) xz -dc --single-stream "$1" 2>/dev/null || true ;;
    28b52ffd) need_command zstd zstd; zstd -dcq "$1" 2>/dev/null || true ;;
    02214c18) need_command lz4 lz4; lz4 -dcq "$1" 2>/dev/null || true ;;
    *)        die "$BOX_EXIT_MISSING" "$1: unknown compression" ;;
    esac
}

# word FILE OFFSET BYTES: an unsigned little-endian number in a file.
word()
{
    od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# extract_vmlinux BZIMAGE ELF: offsets are those of the Linux boot protocol.
extract_vmlinux()
{
    local setup payload length

    setup=$(word "$1" $((0x1f1)) 1)
    payload=$(word "$1" $((0x248)) 4)
    length=$(word "$1" $((0x24c)) 4)
    dd if="$1" of="$2.payload" status=none bs=64K \
        iflag=skip_bytes,count_bytes \
        skip="$(((setup + 1) * 512 + payload))" count="$length"
    decompress "$2.payload" >"$2"
    rm "$2.payload"
    [[ $(head -c 4 "$2" | tail -c 3) == ELF ]] ||
        die "$BOX_EXIT_MISSING" "no ELF image in $1"
}

# lower_p2m_limit ELF: a PV domain walks its whole table of physical memory when it boots, which
# covers 512 GiB at least (CONFIG_XEN_MEMORY_HOTPLUG_LIMIT) and is a third of the work until its
# init runs.  16 GiB are enough here: this changes the operand of the mov in xen_vmalloc_p2m_tree(),
# just before VM_ALLOC is stored and the limit compared.  A kernel with other code stays unchanged.
lower_p2m_limit()
{
    local places

    mapfile -t places < <(LC_ALL=C grep -obUaP \
        '(?s)\xba\x00\x00\x00\x08(?=.{0,40}?\x48\xc7\x05.{4}\x02\x00\x00\x00\x48\x39\xd0)' \
        "$1" |
        cut -d : -f 1)
    if [[ ${#places[@]} -ne 1 ]]; then
        say "this kernel's limit of memory was not found: domains boot slower"
        return
    fi
    printf '\x00\x00\x40\x00' |
        dd of="$1" bs=1 seek=$((places[0] + 1)) conv=notrunc status=none
}

# Names the changes to a kernel, so that a kernel that was unpacked before a change is unpacked
# again.
readonly KERNEL_DONE="p2m limit 16 GiB"

# The bzImage: in boot/ or, where the package comes in parts, beside the modules.
kernel_image() { find "$BOX_HOST/kernel/deb" -name 'vmlinuz*' -type f; }

kernel_prepare()
{
    local deb part parts tree=$BOX_HOST/kernel

    # Looked up in apt once: a later apt-get update does not change the box.
    [[ -z $BOX_KERNEL_DEB && -f $tree/package &&
       $(<"$tree/package") == *" ($KERNEL_DONE)" ]] && return
    deb=$(kernel_package)
    [[ -f $tree/package &&
       $(<"$tree/package") == "$deb ($KERNEL_DONE)" ]] && return

    say "unpacking $(basename "$deb")"
    rm -rf "$tree"
    mkdir -p "$tree"
    parts=$(kernel_parts "$deb")
    for part in "$deb" $parts; do
        dpkg-deb -x "$part" "$tree/deb"
    done
    need_file "$(kernel_image)" "the kernel's image" "it is not in $deb"
    if [[ $BOX_ARCH == arm64 ]]; then
        cp "$(kernel_image)" "$tree/vmlinux"
    else
        extract_vmlinux "$(kernel_image)" "$tree/vmlinux"
        lower_p2m_limit "$tree/vmlinux"
    fi
    ln -sr "$(find "$tree/deb" -path '*/lib/modules/*' -prune -print)" \
           "$tree/modules"
    printf '%s (%s)\n' "$deb" "$KERNEL_DONE" >"$tree/package"
}
