#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# chroot.sh SUITE [COMMAND...]: what a newcomer on another release of Debian sees.
# Copies what git knows of this tree into a Debian of that suite ("trixie"), made
# below build/chroot/ the first time, and runs the command there (default: in_chroot,
# below) as root.  Needs root.  What was built there is kept, and nothing of this
# machine is changed (debian-root.sh).

set -euo pipefail
TOP=$(cd "$(dirname "$0")/.." && pwd -P)
. "$TOP/tests/debian-root.sh"

die() { printf 'chroot.sh: %s\n' "$@" >&2; exit 1; }

# Runs the parts of `make test` that another compiler, kernel, QEMU or library may
# break.  Writes TAP.
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

[[ ${1--} != -* ]] ||
    die "usage: chroot.sh SUITE [COMMAND...], such as: chroot.sh trixie make unit"
[ "$(id -u)" -eq 0 ] || die "only root can do this"
root=$ROOTS/$1
make_root "$1" "$root" || die "there is no Debian $1 to run it in"
copy_tree "$root"
shift
[ $# -gt 0 ] || set -- bash -c "$(in_chroot)"
run_in "$root" /xensched "$@"
