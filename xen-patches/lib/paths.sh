# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-only
#
# Where things are.  Read by every script of this folder (source it first).
# It names places and cleans the environment; it creates nothing.

PATCHES=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
TOP=${PATCHES%/*}
ROOM=${XENSCHED_BUILD:-$TOP/build}  # all that is fetched and built
CACHE=$ROOM/cache

# What is built of the usual release is in build/, of each other one in a folder of its
# own below that, laid out in the same way.
USUAL=4.20
RELEASE=${XEN_RELEASE:-$USUAL}
BUILD=$ROOM
[ "$RELEASE" = "$USUAL" ] || BUILD=$BUILD/$RELEASE
# The same for an architecture that is not this machine's.
ARCH=${XEN_ARCH:-x86_64}
[ "$ARCH" = x86_64 ] || BUILD=$BUILD/$ARCH
XEN=$BUILD/xen                  # pristine, native, patched and edit trees
DIST=$BUILD/dist                # the toolstack of the patched tree

RELEASE_DIR=$PATCHES/$RELEASE   # source, config; series and *.patch (series.sh)
FILES=$PATCHES/files            # new files, the same for every release

# shellcheck source=xen-patches/lib/say.sh
. "$PATCHES/lib/say.sh"

case $ROOM in
*[[:space:]:]*)
    die "Xen cannot be built in a folder whose path has a blank or a colon:" \
        "$ROOM" "Move this clone to another place." ;;
esac
[ -d "$RELEASE_DIR" ] ||
    die "There is no folder for Xen $RELEASE: $RELEASE_DIR" \
        "Known: $(cd "$PATCHES" && echo [0-9]*). Set XEN_RELEASE to one of them."

# A caller's make (flags, jobs, variables) or git hook must not change what
# is built here.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL GNUMAKEFLAGS
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_OBJECT_DIRECTORY
