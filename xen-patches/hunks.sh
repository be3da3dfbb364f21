#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Which hunks of the series do not apply to a release's source?  Patch by patch, in a
# copy of the files that they touch; what applies is applied, so that each patch is
# tried on what it expects.  Prints a line per hunk that does not, with the line of the
# file at which it was expected, then how many did.  Ends with 1 if there is one.
#
# A new release (docs/develop/releases.md) starts from the patches of the release before it.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/git.sh"
. "$PATCHES/lib/series.sh"
no_arguments "$@"

SCRATCH=$XEN/hunks

lay_out()
{
    local f

    rm -rf "$SCRATCH"
    mkdir -p "$SCRATCH"
    # shellcheck disable=SC2046 # names without blanks
    for f in $(patch_paths $(series_patches) | sort -u); do
        [ ! -e "$XEN/pristine/$f" ] ||
            (cd "$XEN/pristine" && cp --parents "$f" "$SCRATCH")
    done
}

# failed PATCH FILE: its hunks that were refused, with where they were expected.
failed()
{
    sed -n 's/^@@ -\([0-9]*\).* @@ \?\(.*\)/\1 \2/p' "$SCRATCH/$2.rej" |
        while read -r line context; do
            printf '%s: %s:%s%s\n' "${1%%-*}" "$2" "$line" "${context:+  ($context)}"
        done
}

# try PATCH: prints its refused hunks.
try()
{
    local patch f

    patch=$(patch_file "$1")
    grep -q '^diff --git ' "$patch" || return 0
    (cd "$SCRATCH" && git apply --reject -p1 "$patch") > /dev/null 2>&1 && return
    for f in $(patch_paths "$1"); do
        if [ -f "$SCRATCH/$f.rej" ]; then
            failed "$1" "$f"
            rm "$SCRATCH/$f.rej"
        elif [ ! -e "$SCRATCH/$f" ]; then
            echo "${1%%-*}: $f: there is no such file in Xen $RELEASE"
        fi
    done
}

need git
"$PATCHES/tree.sh" pristine
series_check
lock
lay_out
all=0 bad=0
for patch in $(series_patches); do
    hunks=$(grep -c '^@@ ' "$(patch_file "$patch")" || :)
    said=$(try "$patch")
    all=$((all + hunks))
    [ -z "$said" ] || { echo "$said"; bad=$((bad + $(wc -l <<< "$said"))); }
done
rm -rf "$SCRATCH"
echo "Xen $RELEASE: $all hunks, $bad of them do not apply"
[ "$bad" -eq 0 ]
