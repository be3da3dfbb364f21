# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Names the source that a tree was made from, as packages and the hypervisor state it.

# tree_version TREE: prints a version of Debian's source package, such as
# 4.17.5+72-g01140da4e8-1; of a pinned tarball without Debian's revision; of a tarball or
# tree of your own its kind and its name without folders.
tree_version()
{
    local kind=unknown name=

    [ ! -f "$1/.xensched/version" ] || read -r kind name < "$1/.xensched/version"
    case $kind in
    debian) echo "$name" ;;
    *)      echo "$kind${name:+ ${name##*/}}" ;;
    esac
}
