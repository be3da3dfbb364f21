#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# With CONFIG_SCHEDLOG=n the log leaves no trace in the hypervisor: each C file
# that a patch touches gives the very same object file as in the unpatched tree,
# the linker script is the same, and so are the offsets of structures that
# assembler code knows.
#
# One patch has nothing to do with the log, and is there with and without it:
# that of credit2_soft_weight.  It is taken out of a copy of its file first.
#
# This could fail when a declaration, a structure member or a statement is not
# within the #ifdef that it belongs to.
#
#   config-off.sh        the files which the patches touch
#   config-off.sh all    every C file of the hypervisor: the headers which the
#                        patches touch are everywhere (minutes)
#
# Nothing is built in the trees.  Each file is compiled again with the command
# by which its tree's own make compiled it; files of the patched tree see, in
# place of the configuration that this was with, the one that Kconfig makes of
# CONFIG_SCHEDLOG=n.  Left out are debug information and line numbers, which a
# file with more lines has other ones of: __LINE__ is 0 in both (gcc warns).
#
# Needs `make xen xen-native`.  Writes TAP.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/xen-patches/lib/paths.sh"
. "$PATCHES/lib/series.sh"
. "$PATCHES/lib/xenmake.sh"
. "$TOP/tests/tap.sh"
. "$TOP/tests/sites/as-built.sh"

# Where a file is does not show in these objects, unless ccache changes its path.
export CCACHE_DISABLE=1

lock
OUT=$(mktemp -d "$XEN/config-off.XXXXXX")
trap 'rm -rf "$OUT"' EXIT

# The configuration of the patched tree with CONFIG_SCHEDLOG=n, and its header.
configure_off()
{
    local tree=$XEN/patched/xen

    sed 's/^CONFIG_SCHEDLOG=y$/# CONFIG_SCHEDLOG is not set/' "$tree/.config" \
        > "$OUT/config"
    xen_make "$tree" KCONFIG_CONFIG="$OUT/config" olddefconfig > "$OUT/log" ||
        { cat "$OUT/log"; return 1; }
    mkdir -p "$OUT/include/generated"
    sed -n -e 's/^\(CONFIG_[A-Za-z0-9_]*\)=y$/#define \1 1/p' \
        -e 's/^\(CONFIG_[A-Za-z0-9_]*\)=\([^y].*\)$/#define \1 \2/p' \
        "$OUT/config" > "$OUT/include/generated/autoconf.h"
}

options_of() { grep '^CONFIG_' "$1" | LC_ALL=C sort; }

# That, and nothing else, is another choice than the one which was built.
only_schedlog_goes()
{
    diff <(options_of "$XEN/patched/xen/.config") <(options_of "$OUT/config") |
        sed -n 's/^[<>] //p' | LC_ALL=C sort > "$OUT/changed"
    diff <(printf 'CONFIG_%s=y\n' JUMP_LABEL SCHEDLOG) "$OUT/changed"
}

OWN=$(series_patches | grep 'credit2-let-soft-affinity')

# without_own SOURCE: what to compile in its place, and with which options.
without_own()
{
    local copy=$OUT/without-own

    if ! patch_paths "$OWN" | grep -qxF "xen/$1"; then
        echo "$1"
        return
    fi
    mkdir -p "$copy/$(dirname "$1")"
    cp "$XEN/patched/xen/$1" "$copy/$1"
    git -C "$copy" init -q
    git -C "$copy" apply -R -p2 --include="$1" "$(patch_file "$OWN")"
    # It includes its neighbours, and messages have its name.
    echo "$copy/$1 -iquote $(dirname "$1") -fmacro-prefix-map=$copy/="
}

# compile native|off TARGET SOURCE OPTION...: OUT/native|off/SOURCE becomes what
# make would make of SOURCE, in the way in which it made TARGET, with more
# options.
compile()
{
    local out=$OUT/$1/$3 tree=$1 command first='' source=$3

    if [ "$1" = off ]; then
        tree=patched
        first=" -I $OUT/include"
        source=$(without_own "$3")
    fi
    command=$(command_of "$tree" "$2")
    mkdir -p "$(dirname "$out")"
    # It is quoted for a shell, and says where headers are from xen/ on.
    (cd "$XEN/$tree/xen" &&
         eval "${command/#gcc/gcc$first} $source -o $out ${*:4}")
}

# On two CPUs.
compile_both()
{
    local rc=0

    compile native "$@" &
    compile off "$@" || rc=$?
    wait "$!" && return "$rc"
}

same_linker_script()
{
    compile_both "$@" &&
    diff -wB "$OUT/native/$2" "$OUT/off/$2"
}

same_offsets()
{
    compile_both "$@" &&
    diff "$OUT/native/$2" "$OUT/off/$2"
}

# ignore_param() makes names of line numbers, which have to differ then.
without_lines() { grep -q '^ignore_param' "$1" || echo '-D__LINE__=0 -w'; }

same_object()
{
    local source=${1%.o}.c

    set -- "$1" "$source" -g0 "$(without_lines "$XEN/native/xen/$source")"
    compile_both "$@" &&
    cmp "$OUT/native/$source" "$OUT/off/$source" && return
    # Which functions are different ones?
    diff <(objdump -dr "$OUT/native/$source") \
        <(objdump -dr "$OUT/off/$source")
    return 1
}

# What the native tree has built from the C files of the list on standard input.
objects()
{
    local source object

    while read -r source; do
        object=${source%.c}.o
        [ ! -f "$(record_of native "$object")" ] || echo "$object"
    done
}

touched_sources()
{
    # shellcheck disable=SC2046  # names without blanks
    patch_paths $(series_patches) | sed -n 's|^xen/\(.*\.c\)$|\1|p' |
        LC_ALL=C sort -u
}

all_sources()
{
    (cd "$XEN/native/xen" && find arch/x86 common drivers lib -name '*.c') |
        LC_ALL=C sort
}

mapfile -t list < <("${1:-touched}_sources" | objects)
echo "1..$((4 + ${#list[@]}))"
check "Kconfig makes a configuration without CONFIG_SCHEDLOG" configure_off
check "it has no jump labels, and all else as before" only_schedlog_goes
check "the linker script is the same" \
    same_linker_script arch/x86/xen.lds arch/x86/xen.lds.S
check "offsets of structures are the same" \
    same_offsets common/domain.o arch/x86/x86_64/asm-offsets.c -S -g0
for object in "${list[@]}"; do
    check "$object is the same" same_object "$object"
done
