#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the series to xen-devel.  Each series applies to Xen or to the series that it needs,
# has a cover letter and its own numbers.  Together they give the built tree, except for the
# patches that only these series have.  All follow Xen's rules for patches, as far as a
# program can check.
#
# This could fail when a patch of the product changes and one of upstream/ is in its way.
# Needs `make xen`.  Writes TAP.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/xen-patches/lib/paths.sh"
. "$PATCHES/lib/git.sh"
. "$PATCHES/lib/series.sh"
. "$TOP/tests/tap.sh"

mapfile -t SERIES < <(upstream_names)
OUT=$BUILD/series
REPO=$(mktemp -d "$XEN/upstream-test.XXXXXX")
trap 'rm -rf "$REPO" "$REPO.said"' EXIT

write_all() { "$PATCHES/series.sh" && "$PATCHES/upstream.sh" > "$REPO.said"; }

# says_sizes: prints for each patch the lines that it adds or removes, and marks large ones
says_sizes()
{
    local name patch

    for name in "${SERIES[@]}"; do
        for patch in $(upstream_patches "$name"); do
            git apply --numstat "$patch" |
                awk '{ n += $1 + $2 } END { print n (n > 400 ? "!" : "") }'
        done
    done > "$REPO/.git/sizes"
    [ -s "$REPO/.git/sizes" ] &&
        diff "$REPO/.git/sizes" <(awk '/^ *[0-9]+[! ] / { print $1 }' "$REPO.said")
}

# A reviewer reads a patch in one go; the cover letter of log and docs/develop/upstream.md
# promise it.
none_is_large() { ! grep -n '!' "$REPO/.git/sizes"; }

# can_do_without PATTERN...: the log's other patches apply without these two.
can_do_without()
{
    local left=$REPO/.git/left

    upstream_patches log | grep -vE "$1|$2" > "$left" || return
    [ "$(wc -l < "$left")" -eq $(($(upstream_patches log | wc -l) - 2)) ] &&
        git -C "$REPO" checkout -q --detach "$(upstream_base log)" &&
        xargs git -C "$REPO" am -q -3 --keep-cr < "$left"
}

begin() { cp -a "$XEN/pristine/." "$REPO" && repo_from_pristine "$REPO"; }

# Applies to Xen's tree, or after the series that it needs.
apply()
{
    git -C "$REPO" checkout -q --detach "$(upstream_base "$1")" &&
        upstream_patches "$1" | xargs git -C "$REPO" am -q --keep-cr &&
        git -C "$REPO" tag "$1"
}

# numbered NAME: a cover letter 0/N and patches 1/N to N/N
numbered()
{
    local n i=1 patch width

    n=$(upstream_patches "$1" | wc -l)
    width=${#n}
    grep -q "^Subject: \[PATCH $(printf "%0${width}d" 0)/$n\] [a-z]" \
        "$OUT/$1/0000-cover-letter.patch" || return
    ! grep -nE '\*\*\* |@@' "$OUT/$1/0000-cover-letter.patch" || return
    for patch in $(upstream_patches "$1"); do
        grep -q "^Subject: \[PATCH $(printf "%0${width}d" "$i")/$n\] " "$patch" ||
            { echo "$patch"; return 1; }
        i=$((i + 1))
    done
}

# Replies quote mails, so lines have room for quotes.
covers_are_narrow()
{
    ! awk 'length > 72 { print FILENAME ": " $0; bad = 1 } END { exit !bad }' \
        "$PATCHES"/upstream/*.cover
}

# The cover letter names the series that this one needs.
says_what_it_needs()
{
    grep -A 1 '^Depends on the series' "$PATCHES/upstream/$2.cover" | paste -sd ' ' |
        grep -F "\"$(head -n 1 "$PATCHES/upstream/$1.cover")\""
}

# as_built: after xl, which needs jump-labels and log, the paths that differ are those of
# upstream's own patches, and of arm-yield and soft-affinity, which the others do not need.
as_built()
{
    local own=("$PATCHES"/upstream/"$USUAL"/*.patch "$OUT"/{arm-yield,soft-affinity}/*.patch)

    git -C "$REPO" checkout -q --detach xl || return
    comm -23 <(git -C "$REPO" ls-files -z | (cd "$REPO" && xargs -0 sha256sum) |
                   (cd "$XEN/patched" && sha256sum -c 2> /dev/null || :) |
                   sed -n 's/: FAILED$//p' | LC_ALL=C sort) \
        <(sed -n 's,^+++ b/,,p' "${own[@]}" | LC_ALL=C sort -u) > "$REPO/.git/other"
    cat "$REPO/.git/other"
    [ ! -s "$REPO/.git/other" ]
}

each_new_file_has_a_maintainer()
{
    local f rc=0 author

    author=$(sed -n 's/^From: .*<\(.*\)>/\1/p' "$PATCHES/upstream/$USUAL/entries-log.patch")
    for f in $(git -C "$REPO" diff --name-only --diff-filter=A base xl); do
        (cd "$REPO" && perl scripts/get_maintainer.pl --no-git -f "$f" < /dev/null) |
            grep -qF "$author" || { echo "$f"; rc=1; }
    done
    return "$rc"
}

style()
{
    local all=()

    mapfile -t all < <(for name in "${SERIES[@]}"; do upstream_patches "$name"; done)
    "$TOP/tests/series/style.py" "${all[@]}"
}

# assisted: each patch names the assistance that upstream.sh gets, and none without.
assisted()
{
    ! grep -rn '^Assisted-by:' "$OUT" || return
    "$PATCHES/upstream.sh" some-agent:1.0 > /dev/null || return
    for name in "${SERIES[@]}"; do
        upstream_patches "$name" | xargs grep -L '^Assisted-by: some-agent:1.0$' | grep . &&
            return 1
    done
    "$PATCHES/upstream.sh" > /dev/null
}

refuses_what_is_no_name()
{
    ! "$PATCHES/upstream.sh" 'some agent' 2> "$REPO/.git/said" &&
        grep 'This is no AGENT_NAME:MODEL_VERSION: some agent' "$REPO/.git/said"
}

# Fails on patches with known faults.
style_sees()
{
    printf '%s\n' 'Subject: [PATCH] no subject' '' "$(printf 'x%.0s' {1..76})" \
        'Signed-off-by: nobody' '---' 'diff --git a/xen/a.c b/xen/a.c' '--- /dev/null' \
        '+++ b/xen/a.c' '@@ -0,0 +1,2 @@' "+$(printf 'y%.0s' {1..81})" \
        '+	z ' > "$REPO/.git/bad"
    "$TOP/tests/series/style.py" "$REPO/.git/bad" > "$REPO/.git/said" && return 1
    cat "$REPO/.git/said"
    [ "$(wc -l < "$REPO/.git/said")" -eq 8 ]
}

echo "1..$((13 + 2 * ${#SERIES[@]}))"
check "make xen-series writes them" write_all
begin
check "it reports the size of each patch" says_sizes
check "no patch has more than 400 lines" none_is_large
for name in "${SERIES[@]}"; do
    check "$name has a cover letter, and is numbered for itself" numbered "$name"
    check "$name applies to what it needs" apply "$name"
done
check "the log applies without marks and without the clock of a guest" \
    can_do_without marks-of-guests clock-of-a-guest
check "cover letters have 72 columns at most" covers_are_narrow
check "the cover letter of log names jump-labels" says_what_it_needs jump-labels log
check "the cover letter of xl names log" says_what_it_needs log xl
check "together they give the built tree, except for patches that only upstream has" as_built
check "each new file has a maintainer" each_new_file_has_a_maintainer
check "patches follow Xen's rules" style
check "a patch that breaks a rule is found" style_sees
check "patches name a given assistant" assisted
check "an invalid name of an assistant is refused" refuses_what_is_no_name
