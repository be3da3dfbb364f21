# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What some guests need for work that can be measured and checked: fio, Postmark and ext4 (mke2fs is
# in busybox). An image (image.sh) for hosts with --tools, which a guest gets with tools=1.
#
# Debian's fio is linked to the clients of six kinds of network storage, 75 MB with all of their
# dependencies.  fio never calls them here, so one small library with their symbols, which do
# nothing, replaces them all.
#
# Gives: $BOX_HOST/boot/tools.cpio

readonly TOOLS_PROGRAMS=(fio postmark)
readonly TOOLS_MODULES=(ext4 'crc32c_generic?')

# fio's real libraries: the C library's and those for local I/O.
readonly TOOLS_LIBRARIES='^lib(c|m|z|aio|numa|dl|rt|pthread)\.so'

# Prints the libraries that FILE itself is linked to, not those of its libraries.
needed_libraries()
{
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

# missing_symbols ROOT PROGRAM: prints lines NAME [VERSION], sorted by version, of symbols that no
# library in ROOT has.
missing_symbols()
{
    nm -D --defined-only "$1"/usr/lib/*.so* |
        sed -n 's/^[^ ]* [^ ]* \([^@]*\).*/\1/p' | sort -u |
        awk 'NR == FNR { there[$1] = 1; next }
             $1 == "U" { split($2, part, "@")
                         if (!(part[1] in there)) print part[1], part[2] }' \
            - <(nm -D --undefined-only "$2") | sort -k2
}

# install_empty_library ROOT PROGRAM: installs it under the name of each library that is not real.
# All symbols must exist, with their versions: fio is linked "now".
install_empty_library()
{
    local work=$BOX_HOST/empty-library name

    rm -rf "$work"
    mkdir -p "$work"
    missing_symbols "$1" "$2" | awk -v code="$work/empty.c" '
        { print "void " $1 "(void) { __builtin_trap(); }" >code }
        NF < 2 { next }
        $2 != version { if (version) print "};"
                        print $2 " { global:"; version = $2 }
        { print "    " $1 ";" }
        END { if (version) print "};" }' >"$work/empty.map"
    cc -shared -fPIC -fno-builtin -w -Wl,--version-script="$work/empty.map" \
        -Wl,-soname,libempty.so -o "$1/usr/lib/libempty.so" "$work/empty.c" ||
        die "$BOX_EXIT_MISSING" "no library in place of those of $2"
    needed_libraries "$2" | grep -v -E "$TOOLS_LIBRARIES" |
        while read -r name; do
            ln -s libempty.so "$1/usr/lib/$name"
        done
}

install_tools_programs()
{
    local name file

    mkdir -p "$1/usr/bin" "$1/usr/lib"
    for name in "${TOOLS_PROGRAMS[@]}"; do
        file=$(PATH=$PATH:/usr/sbin command -v "$name") ||
            die "$BOX_EXIT_MISSING" "$name is missing: run make setup"
        cp "$file" "$1/usr/bin/"
    done
    ldd "$1/usr/bin/fio" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' |
        while read -r file; do
            ! [[ ${file##*/} =~ $TOOLS_LIBRARIES ]] ||
                cp -L "$file" "$1/usr/lib/"
        done
    install_empty_library "$1" "$1/usr/bin/fio"
}

# With an index of all modules, but without the initramfs's modules.
install_tools_modules()
{
    local release module

    release=$(basename "$(readlink "$BOX_HOST/kernel/modules")")
    mkdir -p "$1/lib"
    cp -r "$BOX_HOST/initramfs/lib/modules" "$1/lib/"
    for module in "${TOOLS_MODULES[@]}"; do
        install_module "$1/lib/modules/$release" "$module"
    done
    busybox depmod -b "$1" "$release"
}

install_tools()
{
    install_tools_programs "$1"
    install_tools_modules "$1"
}
