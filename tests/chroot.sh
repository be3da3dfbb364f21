#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# chroot.sh SUITE [COMMAND...]: what a newcomer on another release of Debian sees.
# Copies what git knows of this tree into a Debian of that suite ("trixie"), which
# debootstrap makes below build/chroot/ the first time, and runs the command there
# (default: in_chroot, below) as root.  Needs root.  What was built there is kept.
#
# Nothing of this machine is changed: the chroot has a mount and a process namespace
# of its own, so whatever ends this ends all that runs in it, and what it mounted.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/.." && pwd -P)

die() { printf 'chroot.sh: %s\n' "$@" >&2; exit 1; }

# Of what `make test` does, that which another compiler, kernel, QEMU and library
# may break.  Writes TAP.
in_chroot()
{
    cat << 'END'
. tests/tap.sh
echo 1..7
for what in setup xen xen-native tools drivers unit demo; do
    check "make $what" make "$what"
done
tests/host/run-tests.sh daemon-killed log-events log-grants ring-blkback
END
}

# The mirror that apt uses here: what there is of this release is there of others.
mirror()
{
    # shellcheck disable=SC2016 # for apt, not for the shell
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' |
        awk '!/security/ && !seen++'
}

# make_root SUITE FOLDER: whole, or not there.
make_root()
{
    local site

    [ ! -d "$2" ] || return 0
    command -v debootstrap > /dev/null ||
        die "debootstrap is missing: apt-get install debootstrap"
    site=$(mirror)
    rm -rf "$2.new"
    mkdir -p "$2.new"
    echo "chroot.sh: making a Debian $1, some minutes" >&2
    # What it mounts goes with it, even if it is killed.
    unshare --mount debootstrap --variant=minbase \
        --include=ca-certificates,make,git \
        "$1" "$2.new" "${site:-http://deb.debian.org/debian}" \
        > "$2.log" 2>&1 || die "debootstrap failed:" "$(tail -n 5 "$2.log")"
    mv "$2.new" "$2"
}

# Names are looked up, and proxies asked, as here.
copy_settings()
{
    cp -L /etc/resolv.conf "$1/etc/resolv.conf" 2> /dev/null || :
    apt-config dump Acquire | grep -i proxy > "$1/etc/apt/apt.conf.d/50chroot" || :
}

# What git knows of, with changes that are not committed; what is gone goes there, too.
copy_tree()
{
    local to=$1/xensched

    mkdir -p "$to/build/cache"
    find "$to" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    (
        cd "$TOP"
        git ls-files -z --cached --others --exclude-standard |
            while IFS= read -rd '' file; do
                [ ! -e "$file" ] || printf '%s\0' "$file"
            done | tar --null -T - -cf -
    ) | tar -xf - -C "$to"
    cp -pu "$TOP"/build/cache/*.tar.* "$to/build/cache/" 2> /dev/null || :
}

# run_in FOLDER COMMAND...
run_in()
{
    # shellcheck disable=SC2016 # for the shells in there
    unshare --mount --pid --fork --kill-child sh -euc '
        root=$1
        shift
        mount --rbind /dev "$root/dev"
        mount -t proc proc "$root/proc"
        exec chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            sh -c "cd /xensched && exec \"\$@\"" sh "$@"
    ' sh "$@"
}

[[ ${1--} != -* ]] ||
    die "usage: chroot.sh SUITE [COMMAND...], such as: chroot.sh trixie make unit"
[ "$(id -u)" -eq 0 ] || die "only root can do this"
root=$TOP/build/chroot/$1
make_root "$1" "$root"
copy_settings "$root"
copy_tree "$root"
shift
[ $# -gt 0 ] || set -- bash -c "$(in_chroot)"
run_in "$root" "$@"
