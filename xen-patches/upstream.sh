#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Write the series that go to xen-devel: build/series/NAME/, each numbered for itself
# and with the cover letter upstream/NAME.cover; upstream/series assigns the patches, and
# states which series a series needs.
#
#   upstream.sh [AGENT_NAME:MODEL_VERSION]
#
# Prints the size of each patch in lines that it adds or removes: a reviewer has to read
# it in one go, so those of more than 400 lines are marked.
#
# With an argument each patch says that it was made with the assistance of this, as
# Xen's docs/process/sending-patches.pandoc wants it.  docs/develop/upstream.md says what else
# the person who sends them has to do.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/git.sh"
. "$PATCHES/lib/series.sh"

REPO=$XEN/upstream
ASSISTED_BY=${1:-}

# mail NAME WHICH: a patch of a series as a mail
mail()
{
    local patch

    case $2 in
    *.patch)
        patch=$(first_with "$2" "${WAY[@]/#$PATCHES/$UPSTREAM}") ||
            die "upstream/series names a patch that is not there: $2"
        # shellcheck disable=SC2046  # names without blanks
        fold_in "$patch" $(upstream_files "$1" "$2") ;;
    *)
        patch=$(series_patches | grep "^$2-") ||
            die "upstream/series names a patch that $SERIES has not: $2"
        compose_mail "$patch" ;;
    esac
}

# assisted: a mail, with the line that says so
assisted()
{
    if [ -n "$ASSISTED_BY" ]; then
        git interpret-trailers --trailer "Assisted-by: $ASSISTED_BY"
    else
        cat
    fi
}

# sizes RANGE: a line for each commit
sizes()
{
    git -C "$REPO" log --reverse --no-renames --numstat --format='= %s' "$1" | awk '
        function show()
        {
            if (subject != "")
                printf "%6d%s %s\n", n, (n > 400 ? "!" : " "), subject
        }
        /^= / { show(); subject = substr($0, 3); n = 0; next }
        NF    { n += $1 + $2 }
        END   { show() }'
}

write_series()
{
    local name=$1 which cover=$UPSTREAM/$1.cover before

    [ -f "$cover" ] || die "The series $name has no cover letter: $cover"
    before=$(upstream_base "$name")
    git -C "$REPO" checkout -q -b "$name" "$before"
    for which in $(upstream_members "$name"); do
        mail "$name" "$which" | assisted > "$REPO/.git/xensched.mail"
        git -C "$REPO" am -q --no-gpg-sign --keep-cr "$REPO/.git/xensched.mail" ||
            die "A patch of the series $name does not apply: $which"
    done
    git -C "$REPO" config "branch.$name.description" "$(cat "$cover")"
    git -C "$REPO" format-patch -q --cover-letter --cover-from-description=subject \
        --zero-commit --no-signature --no-renames --stat=72 -o "$OUT/$name" \
        "$before..$name"
    echo "$(upstream_members "$name" | wc -l) patches and a cover letter: ${OUT#"$TOP/"}/$name"
    sizes "$before..$name"
}

[[ -z $ASSISTED_BY || $ASSISTED_BY =~ ^[^[:space:]:,]+:[^[:space:],]+(, [^[:space:]:,]+:[^[:space:],]+)*$ ]] ||
    die "This is no AGENT_NAME:MODEL_VERSION: $ASSISTED_BY" \
        "Xen's docs/process/sending-patches.pandoc says what it is."
if [ "$(printf '%s\n' "$USUAL" "$RELEASE" | sort -V | head -n 1)" != "$USUAL" ]; then
    note "Xen $RELEASE is too old for series to xen-devel: none are written"
    exit
fi
need git
OUT=$BUILD/series
"$PATCHES/tree.sh" pristine
series_check
lock
rm -rf "$REPO"
cp -a "$XEN/pristine" "$REPO"
repo_from_pristine "$REPO"
mkdir -p "$OUT"
for name in $(upstream_names); do
    rm -rf "${OUT:?}/$name"
    write_series "$name"
done
rm -rf "$REPO"
