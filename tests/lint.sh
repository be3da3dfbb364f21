#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Look at every file that is, or is about to be, in the repository: shell
# scripts with shellcheck, white space at line ends, an SPDX line in every
# source file, paths that exist on one machine only, circles of files, includes
# against the direction of the daemon's folders, tables that are not those of
# docs/develop/results/, prose (tests/prose.py).

set -euo pipefail
cd "$(dirname "$0")/.."
rc=0

# complain WHAT LINES: report when there are any.
complain()
{
    [ -n "$2" ] || return 0
    printf 'lint: %s:\n%s\n' "$1" "$2"
    rc=1
}

mapfile -d '' -t all < <(git ls-files -z --cached --others --exclude-standard)
files=() scripts=()
for f in "${all[@]}"; do
    [ -f "$f" ] || continue     # deleted, not yet committed
    files+=("$f")
    if [[ $f == *.sh ]] || head -n 1 "$f" | grep -aqE '^#!.*\b(ba)?sh\b'; then
        scripts+=("$f")
    fi
done

command -v shellcheck > /dev/null ||
    { echo "lint: shellcheck is missing; 'make setup' installs it." >&2; exit 1; }
shellcheck -S warning -x -P SCRIPTDIR:xen-patches:. "${scripts[@]}" || rc=1

# A patch's context line may be a blank; the licences are as they are.
mapfile -t text < <(printf '%s\n' "${files[@]}" |
    grep -vE '\.patch$|^LICENSES/')
complain "white space at the end of a line" \
    "$(grep -InE '[[:blank:]]+$' -- "${text[@]}" || :)"

mapfile -t source < <(printf '%s\n' "${files[@]}" |
    grep -E '\.(c|h|sh|py|t)$|(^|/)Makefile$' |
    grep -v '^xen-patches/files/.*Makefile$')    # Xen's own have none
complain "no SPDX line" \
    "$(grep -L 'SPDX-License-Identifier: ' -- "${source[@]}" "${scripts[@]}" || :)"

complain "a C file that opens with a reference to its header only" \
    "$(printf '%s\n' "${source[@]}" | grep '\.c$' |
        xargs awk 'FNR <= 3 && /^(\/| )\* [^ ]+ - see [^ ]+\.h\./ { print FILENAME }')"

complain "C files of the tools and tests that have one name" \
    "$(printf '%s\n' "${source[@]}" | grep -E '^(tools|tests)/.*\.c$' |
        sed 's,.*/,,' | sort | uniq -d)"

# The first letters are in brackets so that this line does not find itself.
complain "a path of one machine" \
    "$(grep -InE '(^|[^A-Za-z0-9_.])/([w]ork|[f]arm|[r]oot|[h]ome/[a-z]+)/' \
        -- "${text[@]}" || :)"

complain "a manual page without its limitations, or where more is to be read" \
    "$(mapfile -t pages < <(grep -L '^\.so ' tools/xensched/man/*.[0-9])
       grep -L '^\.SH LIMITATIONS' "${pages[@]}" || :
       grep -L '^\.I /usr/share/doc/xensched/' "${pages[@]}" || :)"

complain "a line that Xen's style does not allow, of more than 80 columns" \
    "$(printf '%s\n' "${files[@]}" | grep -E '^xen-patches/files/.*\.[ch]$' |
        xargs awk 'length > 80 { print FILENAME ":" FNR }')"

complain "parameters that are named differently where a function is declared" \
    "$(printf '%s\n' "${files[@]}" | grep -E '^xen-patches/(files/xen/.*\.[ch]|.*\.patch)$' |
        xargs tests/parameter-names.py)"

complain "a patch with another author" \
    "$(printf '%s\n' "${files[@]}" | grep -E '^xen-patches/.*\.patch$' |
        xargs grep -L '^From: xensched developers <xensched@example.com>$' || :)"

# What a release has differently may be less, but not the patches that there are.
complain "a release of Xen with a series of its own" \
    "$(find xen-patches/[0-9]* -name series ! -path xen-patches/4.20/series)"
series=$(grep -v '^#' xen-patches/4.20/series)
complain "a patch or a new file that xen-patches/4.20/series does not name" \
    "$(for patch in xen-patches/[0-9]*/*.patch; do
           grep -q "^${patch##*/}" <<< "$series" || echo "$patch"
       done
       comm -23 <(cd xen-patches/files && find . -type f -printf '%P\n' | LC_ALL=C sort) \
           <(cut -s -d ' ' -f 2- <<< "$series" | tr ' ' '\n' | LC_ALL=C sort))"

complain "files that call each other in a circle" \
    "$(tests/circles.py tools/xensched/{base,cli,lib,host,model,placement,policy,reaction,sampling,daemon,timeline,runs,calibrate,command,disks} \
        guest-drivers/{core,guest} xen-patches/files/xen/common/schedlog 2>&1 || :)"

# Each folder of the daemon includes headers of those after it only.
includes_backwards()
{
    local folder before=
    for folder in daemon/{answer,react,sources,core,act} host daemon/{socket,log}; do
        [[ -z $before ]] ||
            grep -rnE "^#include \"($before)/" "tools/xensched/$folder" || :
        before+=${before:+|}$folder
    done
}
complain "a folder that uses one before it (docs/internals/architecture.md)" \
    "$(includes_backwards)"

complain "tables that say something else than what was measured (make results)" \
    "$(tests/bench/results.py --check 2>&1 || :)"

complain "a tutorial that tests/host/t/tutorials.sh names and no document has" \
    "$(sed -n 's/^tutorial \([^ ]*\) "\(.*\)"$/\1\t\2/p' tests/host/t/tutorials.sh |
        while IFS=$'\t' read -r document heading; do
            tests/host/tutorial.py "$document" "$heading" 2>&1 > /dev/null || :
        done)"

complain "words that docs/develop/style.md rules out, or links that lead nowhere" \
    "$(tests/prose.py 2>&1 || :)"

[ "$rc" -ne 0 ] || echo "lint: ${#files[@]} files, ${#scripts[@]} scripts: clean"
exit "$rc"
