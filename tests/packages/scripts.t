#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The scripts of the hypervisor's package for dpkg and GRUB, in a folder in place of / and
# with a dpkg that reports versions of the test's choice: is a newer Xen of Debian
# announced, and only that?  Does an upgrade keep the last hypervisor that ran here?
# upgrade.sh tries the same with the real dpkg, in minutes.  Writes TAP.

# Fake programs expand the words in single quotes here:
# shellcheck disable=SC2016

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/tests/tap.sh"

W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
ROOT=$W/root
NAME=$ROOT/boot/schedlog-xen-4.17-amd64
RECORD=$ROOT/var/lib/xensched-hypervisor/debian-4.17
SCRIPTS=$TOP/tools/packaging/hypervisor
OLD=4.17.5+72-g01140da4e8-1
NEW=4.17.7+13-g2445b30a44-0+deb12u1

# new_host RUNNING INSTALLED DEBIAN: versions; dpkg's state precedes Debian's.
new_host()
{
    rm -rf "$ROOT"
    mkdir -p "$ROOT"/{bin,boot/grub,sys/hypervisor/properties,var/lib}
    echo "xensched $1" > "$ROOT/sys/hypervisor/properties/changeset"
    installed "$2"
    printf '#!/bin/sh\necho "%s"\n' "$3" > "$ROOT/bin/dpkg-query"
    chmod +x "$ROOT/bin/dpkg-query"
}

installed()
{
    echo "$1" > "$NAME.version.new"
    echo "Xen $1" > "$NAME.gz.new"
    mv "$NAME.version.new" "$NAME.version"
    mv "$NAME.gz.new" "$NAME.gz"
}

# script NAME ARGUMENT...
script()
{
    local name=$1

    shift
    sed -e 's/@XEN@/4.17/g' -e "s,/\(boot\|var/lib\|sys\)/,$ROOT&,g" \
        "$SCRIPTS/$name.in" > "$W/$name"
    PATH=$ROOT/bin:$PATH sh "$W/$name" "$@"
}

# announces LINES DEBIAN [BUILT-FROM]: when Debian's package is triggered.
announces()
{
    local said

    new_host "${3:-$OLD}" "${3:-$OLD}" "$2"
    said=$(script postinst triggered /boot/xen-4.17-amd64.gz)
    echo "$said"
    [ "$(grep -c . <<< "$said")" -eq "$1" ]
}

newer_is_announced()
{
    announces 1 "ii $NEW" && [ "$(cat "$RECORD")" = "$NEW" ] &&
        script postinst triggered x |
            grep -F "built from Xen $OLD, Debian has $NEW: run 'xensched-build-hypervisor'" &&
        announces 1 "iU $NEW" && announces 1 "ii 4.17.5+72-g01140da4e8-2" &&
        announces 1 "ii $NEW" 'tarball xen-4.17.tar.xz'
}

others_are_not_announced()
{
    announces 0 "ii $OLD" && [ "$(cat "$RECORD")" = "$OLD" ] &&
        announces 0 "ii $OLD" "$NEW" && announces 0 "ii $NEW" "$NEW"
}

removed_is_not_announced()
{
    announces 0 "rc $NEW" && [ ! -e "$RECORD" ] && announces 0 "un " && [ ! -e "$RECORD" ] &&
        announces 0 ""
}

# A package of Debian's that is removed later is no longer recorded.
removal_is_recorded()
{
    announces 1 "ii $NEW" && [ -e "$RECORD" ] || return
    printf '#!/bin/sh\necho "rc %s"\n' "$NEW" > "$ROOT/bin/dpkg-query"
    script postinst triggered x && [ ! -e "$RECORD" ]
}

previous() { cat "$NAME.previous.version" "$NAME.previous.gz"; }
previous_is() { previous && [ "$(previous)" = "$1"$'\n'"Xen $1" ]; }

upgrade() { script preinst upgrade 1 2 && installed "$1"; }

replaced_is_kept()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    upgrade "$NEW" && previous_is "$OLD" && [ "$(cat "$NAME.version")" = "$NEW" ]
}

# The second upgrade replaces a hypervisor that was never booted.
last_that_ran_is_kept()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    upgrade 4.17.6-1 && upgrade "$NEW" && previous_is "$OLD" || return
    echo "xensched $NEW" > "$ROOT/sys/hypervisor/properties/changeset"
    upgrade 4.17.8-1 && previous_is "$NEW"
}

# A host that runs Debian's own Xen has booted none of both.
kept_under_another_xen()
{
    new_host '' "$OLD" "ii $OLD"
    upgrade 4.17.6-1 && previous_is "$OLD" && upgrade "$NEW" && previous_is 4.17.6-1
}

# A package from before the file with the version existed.
without_version()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    rm "$NAME.version"
    upgrade "$NEW" && [ "$(cat "$NAME.previous.gz")" = "Xen $OLD" ] &&
        [ ! -e "$NAME.previous.version" ]
}

install_keeps_nothing()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    rm "$NAME".*
    script preinst install && [ ! -e "$NAME.previous.gz" ]
}

removal_removes_both()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    script postinst configure && upgrade "$NEW" && rm "$NAME.gz" "$NAME.version" &&
        script postrm remove || return
    find "$ROOT/boot" "$ROOT/var" -type f
    [ -z "$(find "$ROOT/boot" "$ROOT/var/lib" -type f)" ]
}

# menu: the entries that GRUB would get.
menu()
{
    cat > "$ROOT/grub-mkconfig_lib" << 'END'
grub_quote() { cat; }
save_default_entry() { :; }
prepare_grub_to_access_device() { :; }
make_system_path_relative_to_its_root() { echo "$1"; }
END
    pkgdatadir=$ROOT GRUB_DEVICE_UUID=1 script menu 2> /dev/null
}

entries()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    for kernel in 6.1.0-9-amd64 6.1.0-10-amd64; do
        echo CONFIG_XEN_DOM0=y > "$ROOT/boot/config-$kernel"
        touch "$ROOT/boot/vmlinuz-$kernel"
    done
    [ "$(menu | grep -c '^menuentry')" -eq 2 ] && upgrade "$NEW" && menu &&
        [ "$(menu | sed -n "s/^menuentry.*--id '\(.*\)' {/\1/p" | tr '\n' ' ')" = \
            "xen-4.17-schedlog xen-4.17-schedlog-6.1.0-9-amd64 xen-4.17-schedlog-previous " ] &&
        menu | tail -n 15 | grep -F "previous ($OLD), Linux 6.1.0-10-amd64'" &&
        menu | tail -n 15 | grep '/schedlog-xen-4.17-amd64.previous.gz placeholder'
}

command_line()
{
    local rc=0

    "$SCRIPTS/xensched-build-hypervisor" --help | grep '^Exit status: 0' || return
    "$SCRIPTS/xensched-build-hypervisor" --fast 2>&1 || rc=$?
    [ "$rc" -eq 2 ]
}

tests=(
    "a newer Xen of Debian is announced in one line, and recorded" newer_is_announced
    "an older or the same Xen is not announced"                 others_are_not_announced
    "a package that is not installed is not announced"          removed_is_not_announced
    "its removal is recorded"                                   removal_is_recorded
    "an upgrade keeps the replaced hypervisor"                  replaced_is_kept
    "a second upgrade keeps the last one that ran"              last_that_ran_is_kept
    "under another Xen the replaced one is kept"                kept_under_another_xen
    "one without a version is kept, too"                        without_version
    "a first installation keeps nothing"                        install_keeps_nothing
    "removal removes the previous one and the record"           removal_removes_both
    "GRUB has an entry for the previous one"                    entries
    "the command has a summary, and refuses wrong use"          command_line
)
echo "1..$((${#tests[@]} / 2))"
for ((i = 0; i < ${#tests[@]}; i += 2)); do
    check "${tests[i]}" "${tests[i + 1]}"
done
