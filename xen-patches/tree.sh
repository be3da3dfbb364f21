#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Bring a Xen source tree under build/xen/ up to date:
#
#   tree.sh pristine   as unpacked; nothing is ever built or changed in it
#   tree.sh native     the same, to build the reference hypervisor in
#   tree.sh patched    with files/ and the series, to build in
#
# A tree appears whole or not at all.  In the patched tree only files whose
# content differs are written, so that Xen's make rebuilds just those.
#
# XEN_TREE=FOLDER    start from a copy of this source tree; it is only read.  Otherwise
#                    fetch.sh decides what to start from.
#
# Each tree has in .xensched/version what it was made from: "debian VERSION", "tarball
# FILE" or "tree FOLDER".

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/git.sh"
. "$PATCHES/lib/series.sh"
. "$PATCHES/lib/apt.sh"

PRISTINE=$XEN/pristine
PATCHED=$XEN/patched
MANIFEST=$PATCHED/.xensched/manifest   # files that may differ from pristine
SCRATCH=$XEN/patched.files             # what those files must be

# choose_source: sets SOURCE_FILE, which stays empty for a tree, and VERSION.
choose_source()
{
    SOURCE_FILE=
    if [ -n "${XEN_TREE:-}" ]; then
        [ -d "$XEN_TREE" ] || die "XEN_TREE is not a folder: $XEN_TREE"
        XEN_TREE=$(realpath "$XEN_TREE")
        VERSION="tree $XEN_TREE"
        return
    fi
    SOURCE_FILE=$("$PATCHES/fetch.sh") || exit
    VERSION="tarball ${SOURCE_FILE##*/}"
    case $VERSION in
    *' xen_'*.dsc)        VERSION="debian ${VERSION#*_}" ;;
    *' xen_'*.orig.tar.*) VERSION="debian ${VERSION#*_}" ;;
    esac
    VERSION=${VERSION%.dsc}
    VERSION=${VERSION%.orig.tar.*}
}

# What the trees start from, as a name that changes when the source does.
base_id()
{
    if [ -n "$SOURCE_FILE" ]; then
        sha256sum < "$SOURCE_FILE" | cut -d ' ' -f 1
    else
        (cd "$XEN_TREE" && find . -name .git -prune -o -type f \
            -printf '%p %s %T@\n' | LC_ALL=C sort | sha256sum) |
            sed "s|[ -]*\$| $VERSION|"
    fi
}

# say_version: what is built, where it is from, and whether Debian has a newer one.
say_version()
{
    local from newest built=

    case $VERSION in
    debian*) built=${VERSION#debian } ;;
    esac
    case $SOURCE_FILE in
    "$APT"/*) from="Debian's source package, by apt" ;;
    "$CACHE/$(newest_pin)") from="the pinned tarball" ;;
    "$CACHE"/*) from="an older pinned tarball, since no mirror here has $(newest_pin)" ;;
    *)     from="your own" ;;
    esac
    newest=$(debian_candidate "$RELEASE")
    if [ -z "$newest" ]; then
        newest="apt offers no Xen $RELEASE here: see 'make check-updates'"
    elif [ -z "$built" ]; then
        newest="Debian has $newest"
    elif is_of "$built" "$newest"; then
        newest="the newest of Debian"
    elif dpkg --compare-versions "$built" lt "$newest"; then
        newest="OLDER than Debian's $newest"
    else
        newest="newer than Debian's $newest"
    fi
    note "Xen $RELEASE: building ${VERSION#* }, $from ($newest)"
}

newest_pin()
{
    local files

    files=$(sed -n 's/^file=//p' "$RELEASE_DIR/source")
    echo "${files%%$'\n'*}"
}

# is_of UPSTREAM VERSION: the same, or a version of Debian's that has this tarball.
is_of() { [ "$1" = "$2" ] || [ "$1" = "${2%-*}" ]; }

# is_from TREE ID: TREE is there and was made from this source.
is_from()
{
    [ -f "$1/.xensched/base" ] && [ "$(cat "$1/.xensched/base")" = "$2" ]
}

# put TREE ID: the finished TREE.tmp takes TREE's place.
put()
{
    mkdir -p "$1.tmp/.xensched"
    echo "$2" > "$1.tmp/.xensched/base"
    echo "$VERSION" > "$1.tmp/.xensched/version"
    rm -rf "$1"
    mv "$1.tmp" "$1"
}

# A source package is unpacked as Debian builds it, with Debian's patches.
unpack()
{
    local log=$BUILD/log/unpack.log

    mkdir -p "${log%/*}"
    case $SOURCE_FILE in
    *.dsc)
        need dpkg-source
        rmdir "$PRISTINE.tmp"
        dpkg-source -x "$SOURCE_FILE" "$PRISTINE.tmp" > "$log" 2>&1 ||
            { tail -n 5 "$log" >&2
              die "Cannot unpack $SOURCE_FILE." "The whole output: $log" \
                  "If the disk is not full, remove ${SOURCE_FILE%/*} and repeat the command."; }
        rm -rf "$PRISTINE.tmp/.pc" ;;
    *)
        tar -xf "$SOURCE_FILE" --no-same-owner --strip-components=1 \
            -C "$PRISTINE.tmp" || die "Cannot unpack $SOURCE_FILE." ;;
    esac
}

# A git work tree is copied without what git ignores (a build's products).
copy_own_tree()
{
    local f git=(git -c safe.directory='*' -C "$XEN_TREE")

    if [ -e "$XEN_TREE/.git" ]; then
        "${git[@]}" ls-files -z --cached --others --exclude-standard |
            while IFS= read -r -d '' f; do
                # A deleted file is still known to git.
                [ ! -f "$XEN_TREE/$f" ] || printf '%s\0' "$f"
            done |
            tar -C "$XEN_TREE" --null -T - -c | tar -x --no-same-owner -C "$PRISTINE.tmp"
    else
        cp -a --no-preserve=ownership "$XEN_TREE/." "$PRISTINE.tmp"
    fi
}

make_pristine()
{
    ! is_from "$PRISTINE" "$1" || return 0
    need tar xz
    rm -rf "$PRISTINE.tmp"
    mkdir -p "$PRISTINE.tmp"
    if [ -n "$SOURCE_FILE" ]; then
        unpack
    else
        copy_own_tree
    fi
    [ -f "$PRISTINE.tmp/xen/Makefile" ] ||
        die "This is not a Xen source tree: ${SOURCE_FILE:-$XEN_TREE}" \
            "It has no xen/Makefile."
    put "$PRISTINE" "$1"
}

copy_of_pristine()
{
    ! is_from "$1" "$2" || return 0
    rm -rf "$1.tmp"
    cp -a "$PRISTINE" "$1.tmp"
    put "$1" "$2"
}

# check_new_files: files/ only adds; what Xen has is changed by patches.
check_new_files()
{
    local f

    for f in $(files_on_disk); do
        [ ! -e "$PRISTINE/$f" ] ||
            die "Xen has a file of its own at this path: files/$f" \
                "Change it with a patch (make xen-edit, make xen-refresh)."
    done
    for f in $(patch_paths "$@" | sort -u); do
        [ ! -e "$FILES/$f" ] ||
            die "A patch of the series changes a file of files/: $f" \
                "Change files/$f itself and take the hunk out of the patch."
    done
}

# apply PATCH: in the current folder.
apply()
{
    local out patch

    patch=$(patch_file "$1")
    grep -q '^diff --git ' "$patch" || return 0
    out=$(git apply -p1 "$patch" 2>&1) && return
    out=$(sed -n 's/^error: //p' <<< "$out")
    die "The patch $1 does not apply: ${out//$'\n'/; }" \
        "In a clone of xensched, 'make xen-edit' stops at this patch in build/xen/edit." \
        "Mend it there, go on with 'git am --continue', then run 'make xen-refresh'."
}

# Lay out in SCRATCH every file that is new or patched, as it must be.
make_scratch()
{
    local f patches touched

    patches=$(series_patches)
    # shellcheck disable=SC2086  # names without blanks
    check_new_files $patches
    # shellcheck disable=SC2086
    touched=$(patch_paths $patches | sort -u)
    rm -rf "$SCRATCH"
    mkdir -p "$SCRATCH"
    for f in $touched; do
        [ -e "$PRISTINE/$f" ] || continue
        (cd "$PRISTINE" && cp --parents "$f" "$SCRATCH")
    done
    for f in $(files_on_disk); do
        (cd "$FILES" && cp --parents "$f" "$SCRATCH")
    done
    for f in $patches; do
        (cd "$SCRATCH" && apply "$f") || exit
    done
    { files_on_disk; printf '%s\n' "$touched"; } |
        sed '/^$/d' | LC_ALL=C sort -u > "$XEN/patched.manifest"
}

# Same content, and both or neither executable.
same_file()
{
    local x=0

    [ ! -x "$1" ] || x=$((x + 1))
    [ ! -x "$2" ] || x=$((x + 1))
    [ "$x" -ne 1 ] && cmp -s "$1" "$2"
}

# sync_file PATH: make one file of the patched tree what it must be.
# Prints the path when something changed.
sync_file()
{
    local dst=$PATCHED/$1 src=$SCRATCH/$1

    # Not wanted any more: back to Xen's own file, or away.
    if [ ! -e "$src" ] && ! grep -qxF -- "$1" "$XEN/patched.manifest"; then
        src=$PRISTINE/$1
    fi
    if [ ! -e "$src" ]; then
        [ -e "$dst" ] || return 0
        rm "$dst"
        (cd "$PATCHED" && rmdir -p --ignore-fail-on-non-empty "$(dirname "$1")")
    else
        ! same_file "$src" "$dst" || return 0
        mkdir -p "$(dirname "$dst")"
        cp "$src" "$dst.new"
        mv "$dst.new" "$dst"
    fi
    echo "$1"
}

sync_patched()
{
    local all f changed=()

    touch "$MANIFEST"
    all=$(LC_ALL=C sort -u "$MANIFEST" "$XEN/patched.manifest")
    # First the union: an interruption then forgets no file.
    echo "$all" > "$MANIFEST.new"
    mv "$MANIFEST.new" "$MANIFEST"
    for f in $all; do
        [ -z "$(sync_file "$f")" ] || changed+=("$f")
    done
    mv "$XEN/patched.manifest" "$MANIFEST"
    rm -rf "$SCRATCH"
    [ ${#changed[@]} -eq 0 ] ||
        note "patched tree: ${#changed[@]} files written"
}

need git cmp flock
lock
choose_source
id=$(base_id)
case ${1:-} in
pristine)
    make_pristine "$id" ;;
native)
    make_pristine "$id"
    copy_of_pristine "$XEN/native" "$id" ;;
patched)
    series_check
    note_unnamed
    say_version
    make_pristine "$id"
    make_scratch
    copy_of_pristine "$PATCHED" "$id"
    sync_patched ;;
*)
    die "usage: tree.sh pristine | native | patched" ;;
esac
