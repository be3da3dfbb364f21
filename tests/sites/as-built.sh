# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How Xen's make compiled a file of a tree, to compile one in the same way but
# for what a test wants to be different.  Source xen-patches/lib/paths.sh first.

# record_of TREE TARGET: where its make noted how it made TARGET.
record_of() { echo "$XEN/$1/xen/$(dirname "$2")/.$(basename "$2").cmd"; }

# command_of TREE TARGET: how make made TARGET of the tree's xen/, without its
# input, its output and the note for make of what it depends on.
command_of()
{
    sed -n -e '1s/^cmd_[^ ]* := //' -e '1s/ -MMD -MP -MF [^ ]*//' \
        -e '1s/ -MQ [^ ]*//' -e '1s/ -o [^ ]*//' -e '1s/;.*//' \
        -e '1s/ [^ ]*\.[cS] *$//p' "$(record_of "$1" "$2")"
}
