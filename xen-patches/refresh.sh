#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Write the commits base..HEAD of build/xen/edit back to xen-patches/: files
# that are not in Xen go to files/ with their content at HEAD; what is left of
# each commit becomes xen-patches/<release>/NNNN-subject.patch; the series
# names both.  Of a release other than the usual one, a file that is new and not in
# files/ stays in its patch: it makes up for what this release does not have.
#
# Nothing is written when the same file was changed in xen-patches/ and in the
# edit tree.  A file changed in xen-patches/ alone is kept.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/git.sh"
. "$PATCHES/lib/series.sh"
. "$PATCHES/lib/synced.sh"
no_arguments "$@"

OUT=$XEN/refresh      # what the edit tree says; same layout as the snapshot
OURS=$XEN/refresh.ours

ZEROS=0000000000000000000000000000000000000000

in_base() { git cat-file -e "base:$1" 2> /dev/null; }
in_head() { git cat-file -e "HEAD:$1" 2> /dev/null; }

# A new file that no other release has stays in its patch.
stays() { [ "$RELEASE" != "$USUAL" ] && [ ! -e "$FILES/$1" ]; }

# Sets new[path] to the first commit that adds it, for each file of HEAD that
# is not in base.
declare -A new
find_new_files()
{
    local c f

    for c in $(git rev-list --reverse base..HEAD); do
        while IFS= read -r -d '' f; do
            in_base "$f" && continue
            ! stays "$f" || continue
            if ! in_head "$f"; then
                note "$f comes and goes within the series: left out"
            elif [ -z "${new[$f]:-}" ]; then
                new[$f]=$c
            else
                note "$f: what $(git log -1 --format=%h\ %s "$c") changes in it" \
                     "goes to the commit that adds it"
            fi
        done < <(git diff --name-only --no-renames -z "$c^" "$c")
    done
}

# write_patch COMMIT FILE: in git format-patch form, with nothing in it that
# depends on the day, the machine or the other patches.
write_patch()
{
    local f hunks=()

    while IFS= read -r -d '' f; do
        if in_base "$f" || { stays "$f" && in_head "$f"; }; then
            hunks+=("$f")
        fi
    done < <(git diff --name-only --no-renames -z "$1^" "$1")
    {
        git log -1 --format=email "$1" | sed "1s/^From [0-9a-f]*/From $ZEROS/"
        echo ---
        [ ${#hunks[@]} -eq 0 ] ||
            "${GIT_DIFF[@]}" "$1^" "$1" -- "${hunks[@]}" |
            sed '/^index [0-9a-f]*\.\.[0-9a-f]*\( [0-7]*\)\?$/d'
    } > "$2"
}

# is_inherited FILE NAME: the patch of that name which the release would inherit makes
# the same changes, perhaps at other lines.  For the series: it names the same.
is_inherited()
{
    local other

    other=$(inherited_file "$2") &&
        cmp -s <(sed 's/^@@ .*/@@/' "$1") <(sed 's/^@@ .*/@@/' "$other")
}

write_series_head()
{
    cat <<'END'
# Written by `make xen-refresh`: one line per patch, in order; after its name
# the new files (kept under xen-patches/files/) that belong to it.
END
}

write_out()
{
    local c f n=0 name series=$OUT/patches/series

    rm -rf "$OUT"
    mkdir -p "$OUT/files" "$OUT/patches"
    write_series_head > "$series"
    for c in $(git rev-list --reverse base..HEAD); do
        n=$((n + 1))
        name=$(printf '%04d-%.52s' "$n" "$(git log -1 --format=%f "$c")").patch
        write_patch "$c" "$OUT/patches/$name"
        ! is_inherited "$OUT/patches/$name" "$name" ||
            cp "$(inherited_file "$name")" "$OUT/patches/$name"
        printf '%s' "$name" >> "$series"
        for f in $(printf '%s\n' "${!new[@]}" | LC_ALL=C sort); do
            [ "${new[$f]}" = "$c" ] || continue
            printf ' %s' "$f" >> "$series"
        done
        echo >> "$series"
    done
    [ ${#new[@]} -eq 0 ] ||
        git archive HEAD -- "${!new[@]}" | tar -x -C "$OUT/files"
}

# merge: for every path that one of the three sides has, decide whether it is
# to be written (the lists "write" and "gone") or kept; or refuse.
write=() gone=() clash=()
merge()
{
    local f

    while IFS= read -r f; do
        if same "$OUT/$f" "$OURS/$f"; then
            continue
        elif same "$OURS/$f" "$SNAPSHOT/$f"; then
            if [ -e "$OUT/$f" ]; then write+=("$f"); else gone+=("$f"); fi
        elif same "$OUT/$f" "$SNAPSHOT/$f"; then
            note "$f was changed in xen-patches/ and is kept;" \
                 "'make xen-edit' takes it into the edit tree"
        else
            clash+=("$f")
        fi
    done < <(find "$OUT" "$OURS" "$SNAPSHOT" -type f -printf '%P\n' |
             LC_ALL=C sort -u)
    [ ${#clash[@]} -eq 0 ] ||
        die "Changed in build/xen/edit and in xen-patches/ since make xen-edit:" \
            "${clash[@]}" "Nothing was written. What the edit tree says: $OUT" \
            "Take over by hand what is only in xen-patches/, commit it in the" \
            "edit tree too, so that both are the same, and run this again."
}

# Both are the same, or neither is there.
same()
{
    if [ -e "$1" ] && [ -e "$2" ]; then
        cmp -s "$1" "$2"
    else
        [ ! -e "$1" ] && [ ! -e "$2" ]
    fi
}

# Where a path of OUT belongs in xen-patches/.
home()
{
    case $1 in
    files/*) echo "$FILES/${1#files/}" ;;
    *) echo "$RELEASE_DIR/${1#patches/}" ;;
    esac
}

write_back()
{
    local f dst

    for f in "${write[@]}"; do
        dst=$(home "$f")
        if [[ $f == patches/* ]] && is_inherited "$OUT/$f" "${f#patches/}"; then
            rm -f "$dst"
            echo "  inherited  ${dst#"$TOP/"}"
            continue
        fi
        mkdir -p "$(dirname "$dst")"
        cp "$OUT/$f" "$dst.tmp"
        mv "$dst.tmp" "$dst"
        echo "  written  ${dst#"$TOP/"}"
    done
    for f in "${gone[@]}"; do
        dst=$(home "$f")
        [ -e "$dst" ] || continue       # the release inherits the patch
        rm -f "$dst"
        rmdir -p --ignore-fail-on-non-empty "$(dirname "$dst")"
        echo "  removed  ${dst#"$TOP/"}"
    done
}

need git cmp
[ -d "$EDIT/.git" ] || die "There is no build/xen/edit." "'make xen-edit' makes it."
lock
edit_at_rest
cd "$EDIT"
[ "$(git config xensched.release)" = "$RELEASE" ] ||
    die "build/xen/edit was made for Xen $(git config xensched.release)," \
        "not for $RELEASE. Set XEN_RELEASE to that."
[ "$(git rev-list --count base..HEAD)" -gt 0 ] || [ -z "$(series_patches)" ] ||
    die "build/xen/edit has no commit after base, but the series has patches." \
        "To start again from the series: rm -r $EDIT; make xen-edit"
find_new_files
write_out
rm -rf "$OURS"
# If the patches of an inherited series were renamed since make xen-edit, this release's
# own patches still have the former names.
[ -f "$RELEASE_DIR/series" ] || SERIES=$SNAPSHOT/patches/series
ours "$OURS"
merge
write_back
cd "$TOP"
# What was kept from xen-patches/ is not in the edit tree yet: the snapshot
# is what the edit tree says, so that this stays known.
rm -rf "$SNAPSHOT"
mv "$OUT" "$SNAPSHOT"
rm -rf "$OURS"
mark_synced
[ $((${#write[@]} + ${#gone[@]})) -gt 0 ] || echo "Nothing to write: xen-patches/ is up to date."
