#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The Debian packages, built by `make deb` in a root of a Debian release and tried in
# another one, which is that of a host without a kernel: lintian finds nothing; they
# are installed, upgraded, removed and purged; the hypervisor has an entry in GRUB's
# menu, which is not the first one; DKMS builds the modules, and kernels that xen-blkback
# cannot be built for break nothing.  Fails if a file is in no package, a script of
# dpkg's does not end well, what an operator wrote is lost, or something is left.
# Needs root.  Writes TAP.
#
#   packages.sh [SUITE...]      bookworm and trixie if not given

# shellcheck source=tests/packages/host.sh
. "$(dirname "$0")/host.sh"

declare -A XEN=([bookworm]=4.17 [trixie]=4.20)
declare -A LINUX=([bookworm]=6.1 [trixie]=6.12)

# --- building ---

# build SUITE: builds in its root, like a user of Debian.
build()
{
    local root=$ROOTS/$1

    make_root "$1" "$root" && copy_tree "$root" &&
        run_in "$root" /xensched sh -euc '
            apt="apt-get -q -y --no-install-recommends"
            apt-get -q update
            $apt install build-essential fakeroot lintian
            make deb || { $apt build-dep ./build/deb/xensched; make deb; }'
}

# Errors and warnings.  Maintainer and archive are not known yet.  The name of the
# hypervisor's package is long, as its version ends with that of Xen.
lintian_finds_nothing()
{
    local said

    said=$(run_in "$ROOTS/$1" /xensched/build/deb sh -c 'lintian --allow-root \
        --suppress-tags initial-upload-closes-no-bugs,bogus-mail-host,package-has-long-file-name \
        *.changes' 2>&1) ||
        :
    ! grep -E '^[EW]:|annot' <<< "$said"
}

# --- trying ---

# debs FOLDER [dkms]: the packages there, those that DKMS builds or all others.
debs()
{
    local deb

    for deb in "$HOST/$1"/*.deb; do
        case $deb in
        *-dkms_*) [ "${2:-}" != dkms ] ;;
        *)        [ "${2:-}" = dkms ] ;;
        esac || echo "/$1/${deb##*/}"
    done
}

# shellcheck disable=SC2046 # names without blanks
install() { apt_get install $(debs "$@"); }

new_host()
{
    HOST=$ROOTS/$1.host
    make_host "$1" || return
    mkdir "$HOST/packages" "$HOST/newer"
    cp "$ROOTS/$1"/xensched/build/deb/*.deb "$HOST/packages"
    apt_get update
}

# By the package's own script, and for the newest kernel first.
has_entry()
{
    inside grub-script-check /boot/grub/grub.cfg && menu &&
        [ "$(menu | grep -c 'with schedlog')" -eq 2 ] &&
        grep "id 'xen-$1-schedlog' {" "$HOST/boot/grub/grub.cfg" &&
        grep "multiboot2 /boot/schedlog-xen-$1-amd64.gz placeholder" \
            "$HOST/boot/grub/grub.cfg" &&
        menu | grep 'with schedlog' | head -n 1 | grep '6.1.0-10' &&
        [ -s "$HOST/boot/schedlog-xen-$1-amd64.gz" ]
}

is_not_default() { default | grep 'Xen hypervisor'; }

# ask_for_it XEN: the operator makes it the default.
ask_for_it()
{
    sed -i 's/^#GRUB_DEFAULT/GRUB_DEFAULT/' \
        "$HOST/etc/default/grub.d/xenschedlog-$1.cfg"
    inside update-grub
}

is_default_when_asked()
{
    ask_for_it "$1" && default | grep "xen-$1-schedlog" || return
    sed -i 's/^GRUB_DEFAULT/#GRUB_DEFAULT/' \
        "$HOST/etc/default/grub.d/xenschedlog-$1.cfg"
    inside update-grub && is_not_default
}

# A missing hypervisor does not become the default.
no_entry() { menu && ! menu | grep schedlog && is_not_default; }

# This machine has no Xen, or none with the log.
says_why_not()
{
    local said rc=0

    said=$(inside xensched check --can-start 2>&1) || rc=$?
    echo "$said"
    [ "$rc" -eq 1 ] && grep -q 'xenschedd cannot start here: .*Xen' <<< "$said"
}

enabled()
{
    [ -L "$HOST/etc/systemd/system/multi-user.target.wants/xenschedd.service" ] &&
        ls "$HOST"/etc/rc3.d/S*xenschedd
}

# A program of another author, built with the flags of pkg-config.
compiles()
{
    cat > "$HOST/prog.c" << 'END'
#include <stdio.h>
#include <xensched/event.h>

int main(void)
{
    return puts(xensched_event_name(0)) < 0;
}
END
    apt_get install gcc libc6-dev pkgconf &&
        inside sh -euc 'cc -Wall -Werror -o /prog /prog.c \
            $(pkg-config --cflags --libs xensched)
            ldd /prog | grep libxensched.so.0
            /prog | grep .
            rm /prog /prog.c'
}

# There is no device here; the test shows that a program builds and reports this.
can_be_marked()
{
    cat > "$HOST/prog.c" << 'END'
#include <xensched/xensched_mark.h>

int main(int argc, char **argv)
{
    (void)argv;
    return argc > 1 ? xensched_mark(0, 1) : 0;
}
END
    inside getent group xensched-mark &&
        grep -r 'GROUP="xensched-mark"' "$HOST"/lib/udev/rules.d/60-xensched-mark.rules &&
        inside xensched-mark --help &&
        inside xensched-agent --help &&
        [ -e "$HOST"/lib/systemd/system/xensched-agent.service ] &&
        [ ! -e "$HOST"/etc/systemd/system/multi-user.target.wants/xensched-agent.service ] &&
        inside sh -euc 'cc -Wall -Werror -o /prog /prog.c; /prog; rm /prog /prog.c'
}

# make_newer: the same with another version, as dpkg sees an upgrade.
make_newer()
{
    local deb raw=$HOST/raw

    for deb in "$HOST"/packages/*.deb; do
        rm -rf "$raw"
        dpkg-deb -R "$deb" "$raw"
        sed -i -E -e '/^Version:/s/$/.1/' \
            -e '/^(Depends|Recommends):/s/\(= ([^)]*)\)/(= \1.1)/g' "$raw/DEBIAN/control"
        dpkg-deb --root-owner-group -Znone -b "$raw" "$HOST/newer"
    done
    rm -r "$raw"
}

# An operator's changes stay, dpkg does not ask, and the newer version is installed.
upgraded()
{
    make_newer
    echo 'max_moves = 7' >> "$HOST/etc/xen/xensched.conf"
    mkdir -p "$HOST/var/lib/xensched" "$HOST/var/log/xensched"
    echo state > "$HOST/var/lib/xensched/state.json"
    echo journal > "$HOST/var/log/xensched/journal.jsonl"
    install newer &&
        inside dpkg-query -W -f '${Package} ${Version}\n' xensched | grep '\.1$' &&
        grep 'max_moves = 7' "$HOST/etc/xen/xensched.conf"
}

# xensched's packages, in any state.
names()
{
    inside dpkg-query -W -f '${Package}\n' | grep -E 'xensched|schedlog'
}

# removed XEN: although it was the default.
removed()
{
    # shellcheck disable=SC2046 # names of packages
    ask_for_it "$1" && apt_get remove $(names) && [ -f "$HOST/etc/xen/xensched.conf" ] &&
        [ -f "$HOST/var/lib/xensched/state.json" ] &&
        [ -f "$HOST/var/log/xensched/journal.jsonl" ] &&
        [ ! -e "$HOST/usr/sbin/xenschedd" ] &&
        ! find "$HOST/boot" "$HOST/lib/modules/" -name 'schedlog*' -o -path '*/dkms/xen*' |
            grep .
}

# All but what dpkg, apt and this test keep.
nothing_is_left()
{
    local left

    # shellcheck disable=SC2046
    apt_get purge $(names) || return
    left=$(cd "$HOST" && find . \( -path ./proc -o -path ./dev -o -path ./packages -o \
        -path ./newer -o -path ./var/log/apt -o -path ./var/lib/apt -o \
        -path ./var/cache/apt \) -prune -o \
        \( -name '*xensched*' -o -name '*schedlog*' \) -print)
    [ -z "$left" ] || { echo "$left"; return 1; }
}

# --- DKMS ---

# The kernel of the installed headers.
kernel() { basename "$(ls -d "$HOST"/lib/modules/*-amd64)"; }

dkms_installed()
{
    apt_get install linux-headers-amd64 "linux-source-${LINUX[$1]}" &&
        install packages dkms && inside dkms status
}

dkms_upgraded()
{
    install newer dkms && inside dkms status
}

# module NAME: whether the module is where modprobe finds it.
module() { ls "$HOST/lib/modules/$(kernel)/updates/dkms/$1".ko*; }

modules() { module xensched_log && module xensched_guest && module xen-blkback; }

# excluded WHY: apt installs the kernel's headers and calls DKMS, which succeeds; the other
# modules are built.
excluded()
{
    local said rc=0

    inside dkms remove xen-blkback-xensched/0.1 --all &&
        inside dkms add xen-blkback-xensched/0.1 || return
    said=$(apt_get install --reinstall "linux-headers-$(kernel)" 2>&1) || rc=$?
    echo "$said"
    [ "$rc" -eq 0 ] &&
        grep "xen-blkback is not built for Linux $(kernel): .*$1" <<< "$said" &&
        ! module xen-blkback && module xensched_log
}

# without FILE COMMAND...: runs the command while the file is absent.
without()
{
    local rc=0

    mv "$1" "$HOST/away"
    "${@:2}" || rc=$?
    mv "$HOST/away" "$1"
    return "$rc"
}

without_source()
{
    without "$HOST/usr/src/linux-source-${LINUX[$1]}.tar.xz" excluded 'apt-get install'
}

without_patch()
{
    without "$HOST/usr/src/xen-blkback-xensched-0.1/blkback/patches/${LINUX[$1]}" \
        excluded 'there is no patch'
}

# As if what is installed were of an older version.
with_older_source()
{
    local rc=0 source=linux-source-${LINUX[$1]} status=$HOST/var/lib/dpkg/status

    inside apt-mark hold "$source"
    cp "$status" "$HOST/status"
    awk -v package="$source" '/^Package:/ { it = $2 == package }
        it && /^Version:/ { $0 = "Version: 1" } { print }' "$HOST/status" > "$status"
    excluded "$source 1 is older than this kernel" || rc=$?
    mv "$HOST/status" "$status"
    inside apt-mark unhold "$source"
    return "$rc"
}

# At the next call, DKMS can build the module again.  The configuration of modprobe covers
# a module that cannot be loaded.
built_again()
{
    apt_get install --reinstall "linux-headers-$(kernel)" && modules &&
        inside modprobe -S "$(kernel)" -c | grep '^install xen_blkback .*insmod'
}

# --- all of it ---

try_suite()
{
    local suite=$1 xen=${XEN[$1]}

    check "$suite: make deb makes the packages" quietly build "$suite"
    check "$suite: lintian finds nothing" lintian_finds_nothing "$suite"
    quietly new_host "$suite" || return
    check "$suite: a host with GRUB, and Debian's Xen" quietly with_grub "$xen"
    check "$suite: they are installed" quietly install packages
    check "$suite: the daemon starts with the machine" enabled
    check "$suite: it reports why it does not start here" says_why_not
    check "$suite: GRUB has entries for the hypervisor" has_entry "$xen"
    check "$suite: none of them is the default" is_not_default
    check "$suite: on request it is the default" quietly is_default_when_asked "$xen"
    check "$suite: a program can be built with the library" quietly compiles
    check "$suite: so can one that makes marks, and the command is installed" \
        quietly can_be_marked
    check "$suite: they are upgraded, configuration stays" quietly upgraded
    check "$suite: DKMS accepts the other packages" quietly dkms_installed "$suite"
    check "$suite: it has built the modules" modules
    check "$suite: they are upgraded" quietly dkms_upgraded
    check "$suite: the modules are there again" modules
    check "$suite: a kernel for which there is no source breaks nothing" \
        quietly without_source "$suite"
    check "$suite: nor one for which there is no patch" quietly without_patch "$suite"
    check "$suite: nor one that is newer than the source" \
        quietly with_older_source "$suite"
    check "$suite: then it is built again" quietly built_again
    check "$suite: they are removed, configuration and state stay" quietly removed \
        "$xen"
    check "$suite: GRUB has no entry any more, and Debian's Xen is the default" no_entry
    check "$suite: purged, nothing is left" quietly nothing_is_left
    rm -rf "$HOST"
}
TESTS=23

root_or_skip
mkdir -p "$ROOTS"
[ $# -gt 0 ] || set -- bookworm trixie
for suite; do
    [ -n "${XEN[$suite]:-}" ] ||
        { echo "packages.sh: not known: $suite, only: ${!XEN[*]}" >&2; exit 2; }
done
echo "1..$(($# * TESTS))"
for suite; do
    try_suite "$suite"
done
