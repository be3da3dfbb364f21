#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Are the fuzz targets worth anything?  Breaks the handler or the reader in one
# place at a time, in a copy, and runs the corpus on it: each break has to be
# found, by the inputs which are there already.  Writes TAP.

set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd -P)
TOP=$(cd "$HERE/../.." && pwd -P)
. "$TOP/tests/tap.sh"
. "$HERE/need-clang.sh"

BUILD=${BUILD:-$TOP/build/fuzz}
COPY=$BUILD/mutant

# target ; file ; what is broken ; sed script
mutants()
{
    cat <<'END'
hostile;schedlog-record.h;the number of a log buffer is not masked;/ROUTE_FILE_SHIFT) &/{n;s/cpu->file_mask/0xff/}
hostile;schedlog-record.h;the number of an accounting domain is not masked;s/acct & cpu->acct_mask/acct \& (cpu->acct_mask | 0xff)/
hostile;schedlog-record.h;a register is read twice;s/unlikely(lcr != file->lcr)/ACCESS_ONCE(cpu->lcr[nr]) != file->lcr/
hostile;schedlog-record.h;a route is read without ACCESS_ONCE();s/route = ACCESS_ONCE(cpu->route\[i\])/route = cpu->route[i]/
hostile;record.c;a row may be larger than its log buffer;s/end <= file->mask + 1 ? end : 0/end/
hostile;record.c;rows straddle the end of the log buffer;s/gap = -file->pos .*/gap = 0;/
hostile;schedlog-row.h;a counter wraps around;s/likely(sum >= amount) ? sum : UINT32_MAX/sum/
record;schedlog-row.h;the position is published before the row is there;s/^    schedlog_write_ids(row/    ACCESS_ONCE(state->pos) = pos; smp_wmb();\n&/
record;schedlog-record.h;the position is published before a plain row is there;s/^    row->ids = ids/    ACCESS_ONCE(state->pos) = pos; smp_wmb();\n&/
record;record.c;a row whose counter is added to is taken for a plain one;s/COUNTER64 | XEN_SCHEDLOG_LCR_ADD |/COUNTER64 |/
record;record.c;a longer row is taken for a plain one;s/return size == sizeof(struct schedlog_plain_row)/return size/
record;record.c;a change of the layout is not announced;0,/++file->layout_seq/s/++file->layout_seq/file->layout_seq++/
record;schedlog-record.h;the threshold is one off;s/nr < threshold/nr <= threshold/
record;read-log.h;the reader does not look at the position again;s/good = reader_oldest(reader, rows, from, end)/good = from/
record;read-log.h;the reader forgets the row in flight;s/seq == then->seq ? then->row_size : UNKNOWN_IN_FLIGHT/0 * seq/
reader;read-log.h;the reader believes that a layout stays;s/now->layout.lcr == reader->layout.lcr/1/
reader;read-log.h;the reader copies more than there is room for;s/if (length > room)/if (0)/
END
}

# mutate FILE SCRIPT: the one file, in a fresh copy of what is compiled
mutate()
{
    local path

    rm -rf "$COPY"
    mkdir -p "$COPY/tools"
    cp -r "$TOP/xen-patches/files/xen" "$COPY/xen"
    cp -r "$TOP"/tools/xensched/{lib,include} "$COPY/tools/"
    path=$(find "$COPY/xen/include/xen" "$COPY/xen/common/schedlog" \
               "$COPY/tools/include" -name "$1")
    cp "$path" "$path.orig"
    sed -i "$2" "$path"
    ! cmp -s "$path" "$path.orig" || { echo "the script changes nothing"; return 1; }
}

# found TARGET: the mutant builds, and its replay fails
found()
{
    local make=(make -s -C "$HERE" "TARGETS=$1" BUILD="$COPY/build"
                HANDLER="$COPY/xen" TOOLS="$COPY/tools")

    "${make[@]}" > "$COPY/log" 2>&1 ||
        { echo "it does not build"; tail -n 5 "$COPY/log"; return 1; }
    if "${make[@]}" "replay-$1" > "$COPY/log" 2>&1; then
        echo "nothing was found"
        return 1
    fi
}

mutant_is_found() { mutate "$2" "$3" && found "$1"; }

# A change that breaks nothing is not to be found: else all of these would be.
nothing_is_found()
{
    local said

    mutate record.c '$a /* nothing */' || return 1
    said=$(found "$1") || [ "$said" = "nothing was found" ] || echo "$said"
    [ "$said" = "nothing was found" ]
}

need_clang
echo "1..$(($(mutants | wc -l) + 1))"
check "not found: a comment" nothing_is_found record
while IFS=';' read -r target file what script; do
    # The script may have semicolons itself.
    check "found: $what ($target)" mutant_is_found "$target" "$file" "$script"
done < <(mutants)
