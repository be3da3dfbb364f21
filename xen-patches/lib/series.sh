# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Reading xen-patches/<release>/series.  One line per patch, in the order in
# which they apply: the patch's file name, then the new files (paths in the
# Xen tree, kept under xen-patches/files/) that this patch adds.
#
# A release has only the patches that differ, by more than line numbers, from those of
# its neighbour on the way to the usual release.  The neighbour has the other patches, or
# its own neighbour has them: 4.23 takes from 4.22, and 4.22 from 4.20.  The same is true
# of the series.

# The folders of the releases on that way: this one's, ..., the usual one's.
mapfile -t WAY < <(
    find "$PATCHES" -maxdepth 1 -name '[0-9]*' -type d -printf '%f\n' | sort -V |
        awk -v from="$RELEASE" -v to="$USUAL" -v top="$PATCHES" '
            { name[NR] = $0; line[$0] = NR }
            END { step = line[from] < line[to] ? 1 : -1
                  for (i = line[from]; i != line[to] + step; i += step)
                      print top "/" name[i] }')

# first_with FILE FOLDER...: prints the path of the file in the first folder that has it.
first_with()
{
    local file=$1 folder

    shift
    for folder; do
        [ ! -f "$folder/$file" ] || { echo "$folder/$file"; return; }
    done
    return 1
}

SERIES=$(first_with series "${WAY[@]}") || SERIES=$RELEASE_DIR/series

series_lines() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$SERIES"; }

# patch_file PATCH: prints the path of the file that this release uses.
patch_file() { first_with "$1" "${WAY[@]}"; }

# inherited_file FILE: prints the path of the patch or series that this release would use
# if its own folder lacked it.
inherited_file() { first_with "$1" "${WAY[@]:1}"; }

# series_patches: names of the patches, in order.
series_patches() { series_lines | awk '{ print $1 }'; }

# series_files [PATCH]: the new files of one patch, or of all of them.
series_files()
{
    series_lines | awk -v p="${1:-}" \
        'p == "" || $1 == p { for (i = 2; i <= NF; i++) print $i }'
}

# files_on_disk: what is under files/ (editors' left-overs aside), sorted.
files_on_disk()
{
    (cd "$FILES" && find . -type f ! -name '*~' ! -name '.*.sw?' \
        -printf '%P\n' | LC_ALL=C sort)
}

# patch_paths PATCH...: the paths which the hunks of patches touch.
patch_paths()
{
    local p

    for p; do
        p=$(patch_file "$p")
        # A patch that only adds files has no hunk.
        grep -q '^diff --git ' "$p" || continue
        git apply --numstat "$p" | cut -f 3-
    done
}

# series_unnamed: files of files/ that no patch names.
series_unnamed()
{
    comm -23 <(files_on_disk) <(series_files | LC_ALL=C sort)
}

# series_check: what the series names must be there.
series_check()
{
    local p f

    [ -f "$SERIES" ] || die "Missing: $SERIES"
    for p in $(series_patches); do
        patch_file "$p" > /dev/null ||
            die "The series names a patch that is not there: $p" \
                "Put it into $RELEASE_DIR or take its line out of $SERIES."
    done
    for f in $(series_files); do
        [ -f "$FILES/$f" ] ||
            die "The series names a new file that is not there: $f" \
                "Put it into $FILES or take its name out of $SERIES."
    done
    f=$(series_files | LC_ALL=C sort | uniq -d)
    [ -z "$f" ] || die "The series names a new file twice: $f" "See $SERIES."
}

# For building, a file that no patch names is taken all the same; a series to
# be mailed must have it.
note_unnamed()
{
    local f

    f=$(series_unnamed)
    [ -z "$f" ] ||
        note "not named in the series, taken all the same: ${f//$'\n'/ }"
}

refuse_unnamed()
{
    local f

    f=$(series_unnamed)
    [ -z "$f" ] ||
        die "No patch of the series adds: ${f//$'\n'/ }" \
            "Name each in $SERIES on the line of the patch it belongs to."
}

# fold_in PATCH-FILE FILE...: the patch with these new files as additions.
fold_in()
{
    local patch=$1 f

    shift
    awk '/^diff --git / { exit } { print }' "$patch"
    for f; do
        # Exit code 1 says that the two differ, as they must.
        (cd "$FILES" && "${GIT_DIFF[@]}" --no-index --full-index \
            /dev/null "$f") || [ $? -eq 1 ]
    done
    awk '/^diff --git / { on = 1 } on { print }' "$patch"
}

# compose_mail PATCH: a patch of the series with its new files.
compose_mail()
{
    # shellcheck disable=SC2046  # names without blanks
    fold_in "$(patch_file "$1")" $(series_files "$1")
}

# am_series REPOSITORY: the whole series as commits, with git am.
am_series()
{
    local mbox=$1/.git/xensched.mbox p

    for p in $(series_patches); do
        compose_mail "$p"
    done > "$mbox"
    [ ! -s "$mbox" ] || git -C "$1" am -q --no-gpg-sign --keep-cr "$mbox"
}

# The series to xen-devel: upstream/series assigns the patches.
UPSTREAM=$PATCHES/upstream

upstream_lines() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$UPSTREAM/series"; }

# upstream_names: the names of these series, in order.
upstream_names() { upstream_lines | awk '!seen[$1]++ { print $1 }'; }

# upstream_members NAME: the patches of a series, in order.
upstream_members()
{
    upstream_lines | awk -v name="$1" '$1 == name && $2 != "after" { print $2 }'
}

# upstream_files NAME PATCH: the new files of a patch that only this series has.
upstream_files()
{
    upstream_lines | awk -v name="$1" -v patch="$2" \
        '$1 == name && $2 == patch { for (i = 3; i <= NF; i++) print $i }'
}

# upstream_base NAME: the series that it needs, or "base": Xen's tree.
upstream_base()
{
    upstream_lines |
        awk -v name="$1" '$1 == name && $2 == "after" { base = $3 }
                          END { print base == "" ? "base" : base }'
}

# upstream_patches NAME: the mails of a series that upstream.sh has written, without its
# cover letter.
upstream_patches()
{
    find "$BUILD/series/$1" -name '*.patch' ! -name '0000-*' | LC_ALL=C sort
}
