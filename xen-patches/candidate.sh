#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# candidate.sh RELEASE: print which version of Debian's hypervisor of this release apt
# would install, and the archive that offers it, as KEY=value lines: version (of the
# package), source (version of the source package), site, suite.  Exit code 69 if apt
# offers none.

set -euo pipefail
[ $# -eq 1 ] || { echo "usage: candidate.sh RELEASE, such as 4.20" >&2; exit 64; }
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/apt.sh"

version=$(debian_candidate "$1")
[ -n "$version" ] ||
    status=69 die "apt offers no $(hypervisor_package "$1") here." "Run 'apt-get update'."
read -r site suite < <(candidate_place "$1" "$version") || :
printf '%s\n' "version=$version" "source=$(source_version "$1" "$version")" \
    "site=$site" "suite=$suite"
