#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The day of a security update of Debian's Xen, in a Debian 12 root with GRUB: xensched's
# hypervisor is built from the older Xen; apt upgrades Debian's, and its output has the
# warning; xensched-build-hypervisor builds and installs the new one and keeps the old.
# Fails if a host can fall behind without a hint, or if a patch that does not apply, a
# missing source, a full disk or Ctrl-C changes the installed packages.
#
#   upgrade.sh [TARBALL]    upstream's source of a newer Xen, such as xen-4.17.7.tar.xz
#
# The newer Xen is the security archive's.  If no mirror has its source, the test makes a
# signed archive on this machine: from the tarball and Debian's patches, or else from the
# older source under a synthetic version.  The first line of output reports which.
#
# Needs root, and the packages that packages.sh has built.  The new packages are left in
# build/chroot/bookworm.upgraded, for boot.sh --packages.  Writes TAP.

# shellcheck source=tests/packages/host.sh
. "$(dirname "$0")/host.sh"

XEN=4.17
BUILT=$ROOTS/bookworm/xensched/build/deb
HOST=$ROOTS/bookworm.upgrade
RESULT=$ROOTS/bookworm.upgraded
DEBIANS=xen-hypervisor-$XEN-amd64
OURS=$DEBIANS-schedlog
NAME=schedlog-xen-$XEN-amd64
SHARE=/usr/share/xensched/hypervisor
WORK=/var/cache/xensched-hypervisor
LOGS=$WORK/$XEN/log
ARCHIVE=/srv/archive
PATCH=$SHARE/xen-patches/$XEN/0035-xen-evtchn-log-notifications-between-domains.patch

# --- the host ---

version_of() { inside dpkg-query -W -f '${Version}' "$1"; }

candidate() { inside "$SHARE/xen-patches/candidate.sh" "$XEN" | sed -n 's/^version=//p'; }

# Debian's Xen of the release, without the security archive, and the packages.
old_host()
{
    make_host bookworm && mkdir "$HOST/packages" &&
        cp "$BUILT"/{xensched_,libxensched0_,"$OURS"_,xensched-hypervisor-source_}*.deb \
            "$HOST/packages" &&
        apt_get update && with_grub "$XEN" &&
        inside sh -c 'apt-get -q -y --no-install-recommends install /packages/*.deb' &&
        OLD=$(version_of "$DEBIANS")
}

built_from_old()
{
    cat "$HOST/boot/$NAME.version"
    [ "$OLD" = "$(cat "$HOST/boot/$NAME.version")" ] &&
        version_of "$OURS" | grep -F "+$OLD"
}

# --- the newer Xen ---

fetch_source()
{
    inside env XEN_FROM=apt XEN_RELEASE="$XEN" XENSCHED_BUILD="$WORK" \
        "$SHARE/xen-patches/fetch.sh"
}

# The security archive beside the mirror that apt uses here.
security_site()
{
    local site

    # shellcheck disable=SC2016 # for apt, not for the shell
    site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' |
        awk '/debian-security/ && !seen++')
    echo "${site:-http://security.debian.org/debian-security}"
}

offer_security()
{
    echo "deb $(security_site) bookworm-security main" \
        > "$HOST/etc/apt/sources.list.d/newer.list"
    apt_get update
    [ "$(candidate)" != "$OLD" ] && fetch_source
}

# make_archive DSC TARBALL VERSION: a signed archive in the root with this version of the
# source, and of Debian's package with the content of the older one.  As in a snapshot of
# Debian, the index has expired, and the line of apt's sources accepts that.
make_archive()
{
    mkdir -p "$HOST$ARCHIVE" && cp "$2" tests/packages/source-package.sh "$HOST/srv" &&
        apt_get install apt-utils gnupg &&
        inside bash -euc '
            dsc=$1 tarball=$2 old=$3 new=$4 package=$5 archive=$6
            cd "$archive"
            /srv/source-package.sh "$dsc" "/srv/$tarball" "$new"
            apt-get download "$package=$old"
            dpkg-deb -R "$package"_*.deb raw
            rm "$package"_*.deb
            sed -i "s/^Version: .*/Version: $new/" raw/DEBIAN/control
            dpkg-deb --root-owner-group -b raw .
            rm -r raw
            apt-ftparchive packages . > Packages
            apt-ftparchive sources . > Sources
            apt-ftparchive -o APT::FTPArchive::Release::ValidTime=1 release . > ../Release
            mv ../Release .
            export GNUPGHOME=$(mktemp -d)
            gpg -q --batch --passphrase "" --quick-generate-key test rsa2048
            gpg -q --batch --export > key.gpg
            gpg -q --batch --clearsign -o InRelease Release
            rm -r "$GNUPGHOME"
            echo "deb [signed-by=$archive/key.gpg check-valid-until=no] file:$archive ./" \
                > /etc/apt/sources.list.d/newer.list
        ' bash "$1" "${2##*/}" "$OLD" "$3" "$DEBIANS" "$ARCHIVE"
}

# offer_archive [TARBALL]
offer_archive()
{
    local dsc tarball=${1:-} version

    rm "$HOST/etc/apt/sources.list.d/newer.list"
    inside rm -rf "$WORK" && apt_get update && dsc=$(fetch_source) || return
    if [ -n "$tarball" ]; then
        version=${tarball##*/xen-}
        version=${version%.tar.*}-1
        FROM="upstream's, with Debian's patches"
    else
        tarball=$(echo "$HOST${dsc%/*}"/*.orig.tar.*)
        version=$OLD+security1
        FROM="synthetic"
    fi
    FROM+=": no mirror has the source of the security archive's"
    make_archive "$dsc" "$tarball" "$version" && apt_get update
}

# offer_newer [TARBALL]: sets NEW, and FROM for the first line.
offer_newer()
{
    FROM="the security archive's"
    offer_security || offer_archive "$@" || return
    inside rm -rf "$WORK"
    NEW=$(candidate) && [ -n "$NEW" ] && [ "$NEW" != "$OLD" ]
}

# --- the update ---

announced()
{
    local said

    said=$(apt_get install "$DEBIANS" 2>&1) || { echo "$said"; return 1; }
    grep schedlog <<< "$said"
    [ "$(version_of "$DEBIANS")" = "$NEW" ] &&
        [ "$(grep -cF "is built from Xen $OLD, Debian has $NEW: run 'xensched-build-hyp" \
            <<< "$said")" -eq 1 ]
}

# has_line RESULT TEXT: of xensched check, which fails here without Xen.
has_line()
{
    local said

    said=$(inside xensched check) || :
    echo "$said"
    grep -E "^$1 +hypervisor: " <<< "$said" | grep -F "$2"
}

# The state that an interrupted or failed command must not change.
state()
{
    (cd "$HOST/boot" && find . -type f -exec sha256sum {} + | LC_ALL=C sort)
    inside dpkg-query -W
}

# fails CODE PATTERN COMMAND...: with this exit code and message, and nothing changes.
fails()
{
    local code=$1 pattern=$2 said rc=0 before after

    shift 2
    before=$(state)
    said=$("$@" 2>&1) || rc=$?
    after=$(state)
    echo "exit code $rc: $said"
    [ "$rc" -eq "$code" ] && grep -q "$pattern" <<< "$said" &&
        diff <(echo "$before") <(echo "$after")
}

build() { inside xensched-build-hypervisor; }

# A hunk with a context that Xen does not have.
with_broken_patch()
{
    local rc=0

    cp "$HOST$PATCH" "$HOST/kept.patch"
    sed -i '0,/^ /s/^ .*/ no line of Xen is like this/' "$HOST$PATCH"
    build || rc=$?
    mv "$HOST/kept.patch" "$HOST$PATCH"
    return "$rc"
}

# Neither a network nor the archive.
without_source()
{
    local rc=0

    inside rm -rf "$WORK"
    [ ! -e "$HOST$ARCHIVE" ] || mv "$HOST$ARCHIVE" "$HOST/srv/away"
    unshare --net bash -c '. "$1"; HOST=$2; run_in "$HOST" / xensched-build-hypervisor' \
        bash tests/debian-root.sh "$HOST" || rc=$?
    [ ! -e "$HOST/srv/away" ] || mv "$HOST/srv/away" "$HOST$ARCHIVE"
    return "$rc"
}

# on_disk MEGABYTES COMMAND...: the command works on a small file system.
# shellcheck disable=SC2016 # for the shell in there
on_disk()
{
    inside bash -c '
        mkdir -p "$1"
        mount -t tmpfs -o "size=$2M" tmpfs "$1" || exit
        shift 2
        "$@"' bash "$WORK" "$@"
}

# The disk fills up while the hypervisor is built.
# shellcheck disable=SC2016
fills_while_built()
{
    on_disk 600 bash -c '
        xensched-build-hypervisor &
        until [ -s "$1/hypervisor-patched.log" ]; do sleep 0.1; done
        cat /dev/zero > "$1/filler"
        wait $!' bash "$LOGS"
}

# /boot fills up while dpkg unpacks a newer package.
# shellcheck disable=SC2016
fills_while_unpacked()
{
    inside bash -euc '
        dpkg-deb -R /packages/"$1"_*.deb /raw
        sed -i "/^Version:/s/$/.1/" /raw/DEBIAN/control
        dpkg-deb --root-owner-group -b /raw /newer.deb
        mkdir /kept
        mount --bind /boot /kept
        mount -t tmpfs -o "size=$(($(du -sk /boot | cut -f 1) + 300))k" tmpfs /boot
        cp -a /kept/. /boot
        dpkg -i /newer.deb || rc=$?
        diff -r /kept /boot || rc=99
        umount /boot /kept
        rm -r /kept /raw /newer.deb
        exit "${rc:-0}"' bash "$OURS"
}

# interrupt CONDITION: Ctrl-C, as soon as the condition is true.  A test in the background
# ignores the signal.
# shellcheck disable=SC2016
interrupt()
{
    inside env --default-signal=INT bash -c '
        set -m
        cd "$1"
        xensched-build-hypervisor &
        until eval "$2"; do
            kill -0 $! || break
            sleep 0.01
        done 2> /dev/null
        kill -INT -- "-$!"
        wait $!' bash "$WORK" "$1"
}

# Each time, the command continues from where it was interrupted before.
# shellcheck disable=SC2016 # for the shell in there
interrupt_each()
{
    local condition

    inside sh -c 'rm -rf "$1"; mkdir "$1"' sh "$WORK"
    for condition in '[ -d cache/apt/lists ]' "[ -d $XEN/xen/pristine.tmp ]" \
        "[ -d $XEN/xen/patched.tmp ]" "[ -e $XEN/log/config-patched.log ]" \
        "[ \"\$(grep -c '^  CC' $XEN/log/hypervisor-patched.log)\" -gt 20 ]"
    do
        fails 130 'interrupted' interrupt "$condition" || { echo "$condition"; return 1; }
    done
}

compiled() { sed -n 's/^  CC *//p' "$HOST$LOGS/hypervisor-patched.log" | LC_ALL=C sort; }

# Files that were compiled before Ctrl-C are not compiled again, but for the last ones.
continues()
{
    local before again

    before=$(compiled)
    build || return
    again=$(comm -12 <(echo "$before") <(compiled) | wc -l)
    echo "compiled before: $(wc -l <<< "$before"), of these again: $again"
    [ "$again" -lt 10 ]
}

# --- the result ---

is_installed()
{
    version_of "$OURS" | grep -F "+$NEW" && [ "$(cat "$HOST/boot/$NAME.version")" = "$NEW" ] &&
        zcat "$HOST/boot/$NAME.gz" | grep -acF "xensched $NEW"
}

previous_is_kept()
{
    [ "$(cat "$HOST/boot/$NAME.previous.version")" = "$OLD" ] &&
        zcat "$HOST/boot/$NAME.previous.gz" | grep -acF "xensched $OLD"
}

in_menu()
{
    menu && inside grub-script-check /boot/grub/grub.cfg &&
        grep "id 'xen-$XEN-schedlog' {" "$HOST/boot/grub/grub.cfg" &&
        grep -A 20 "id 'xen-$XEN-schedlog-previous' {" "$HOST/boot/grub/grub.cfg" |
            grep "/boot/$NAME.previous.gz" &&
        menu | grep -F "previous ($OLD)" && default | grep 'Xen hypervisor'
}

# The result of two builds, and their working files.
nothing_to_do()
{
    local said

    said=$(build) && echo "$said" && grep 'nothing to build' <<< "$said" &&
        [ ! -e "$HOST$WORK/$XEN/xen/patched" ]
}

nothing_is_left()
{
    local left

    apt_get purge "$OURS" xensched-hypervisor-source || return
    left=$(find "$HOST/boot" "$HOST/etc" "$HOST/usr/share/xensched" "$HOST/var/cache" \
        "$HOST/var/lib" -path "$HOST/var/lib/dpkg" -prune -o -path "$HOST/var/lib/apt" \
        -prune -o \( -name '*schedlog*' -o -path '*hypervisor-source*' -o \
        -path '*xensched-hypervisor*' \) -print)
    [ -z "$left" ] || { echo "$left"; return 1; }
    menu && ! menu | grep schedlog
}

keep_result()
{
    rm -rf "$RESULT"
    mkdir "$RESULT"
    cp "$HOST/packages"/{xensched,libxensched0}_*.deb "$HOST$WORK"/*.deb "$RESULT"
}

if [ $# -gt 1 ] || { [ $# -eq 1 ] && [ ! -f "$1" ]; }; then
    echo "usage: upgrade.sh [TARBALL]" >&2
    exit 2
fi
root_or_skip
ls "$BUILT/$OURS"_*.deb > /dev/null 2>&1 ||
    { echo "upgrade.sh: no packages: run tests/packages/packages.sh bookworm" >&2; exit 1; }
echo 1..18
quietly old_host || exit
check "a host with Debian's Xen, and a hypervisor that is built from it" built_from_old
quietly offer_newer "$@" || exit
echo "# the newer Xen is $NEW, $FROM; the older one is $OLD"
check "the upgrade of Debian's Xen is announced in one line" announced
check "xensched check compares the versions" has_line - \
    "installed $OLD, Debian's newest $NEW; run xensched-build-hypervisor"
check "a broken patch is named, and changes nothing" \
    fails 1 "The patch ${PATCH##*/} does not apply" with_broken_patch
check "without a source the missing line is named, and nothing changes" \
    fails 69 'deb-src .*main' without_source
check "a disk that is too small is refused" fails 1 'too full' on_disk 100 \
    xensched-build-hypervisor
check "a disk that fills up changes nothing" fails 1 'the disk of .* is full' fills_while_built
check "a /boot that fills up changes nothing" fails 1 'No space left' fills_while_unpacked
check "Ctrl-C changes nothing, at any step" interrupt_each
check "the command continues after Ctrl-C, and succeeds" continues
check "the new hypervisor is installed" is_installed
check "the previous one is kept" previous_is_kept
check "both are in GRUB's menu, and neither is the default" in_menu
check "xensched check is content" has_line ok "installed $NEW, Debian's newest $NEW"
check "repeated, the command has nothing to do, and its files are gone" nothing_to_do
check "wrong use is refused" fails 2 usage inside xensched-build-hypervisor --fast
check "the packages are kept for boot.sh" keep_result
check "purged, nothing is left" nothing_is_left
rm -rf "$HOST"
