# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The kernel of dom0 and of the guests: Debian's own, unpacked below build/
# and never installed.  The ELF image is taken out of the bzImage once, here,
# because decompressing it again in each emulated domain takes seconds.
#
# Gives: $BOX_HOST/kernel/vmlinux, $BOX_HOST/kernel/modules/ (its modules).

kernel_package_name()
{
    local name

    name=$(apt-cache depends linux-image-amd64 2>/dev/null |
           sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p')
    [[ -n $name ]] ||
        die "$BOX_EXIT_MISSING" "apt knows no package linux-image-amd64:" \
            "run apt-get update, or set BOX_KERNEL_DEB to a kernel package"
    printf '%s\n' "$name"
}

# Prints the file name of the package, downloaded if need be.
kernel_package()
{
    local name deb

    if [[ -n $BOX_KERNEL_DEB ]]; then
        need_file "$BOX_KERNEL_DEB" "the kernel package" "see BOX_KERNEL_DEB"
        realpath "$BOX_KERNEL_DEB"
        return
    fi

    name=$(kernel_package_name)
    mkdir -p "$BOX_CACHE"
    deb=$(find "$BOX_CACHE" -maxdepth 1 -name "${name}_*.deb" -print -quit)
    if [[ -z $deb ]]; then
        say "downloading $name"
        # apt's own user may not be able to write to a build folder.
        (cd "$BOX_CACHE" && apt-get -qq -o APT::Sandbox::User=root \
             download "$name" >&2) ||
            die "$BOX_EXIT_MISSING" "could not download $name: is there a" \
                "network?  Run apt-get update if its version is gone, or set" \
                "BOX_KERNEL_DEB to a kernel package"
        deb=$(find "$BOX_CACHE" -maxdepth 1 -name "${name}_*.deb" -print -quit)
    fi
    printf '%s\n' "$deb"
}

# decompress FILE: to stdout, whatever it was compressed with.  The kernel
# appends a length to the stream, which all of them complain about.
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

kernel_prepare()
{
    local deb tree=$BOX_HOST/kernel

    # Looked up in apt once: a later apt-get update does not change the box.
    [[ -z $BOX_KERNEL_DEB && -f $tree/package ]] && return
    deb=$(kernel_package)
    [[ -f $tree/package && $(<"$tree/package") == "$deb" ]] && return

    say "unpacking $(basename "$deb")"
    rm -rf "$tree"
    mkdir -p "$tree"
    dpkg-deb -x "$deb" "$tree/deb"
    extract_vmlinux "$(find "$tree/deb/boot" -name 'vmlinuz-*')" \
                    "$tree/vmlinux"
    ln -s "$(find "$tree/deb" -path '*/lib/modules/*' -prune -print)" \
          "$tree/modules"
    printf '%s\n' "$deb" >"$tree/package"
}
