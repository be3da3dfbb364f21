#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Print the path of the Xen source to build from, and fetch it first when it is not
# there: a .dsc file of Debian's source package, or a tarball.
#
# XEN_TARBALL=FILE  use this tarball or .dsc file, as it is
# XEN_FROM=apt      use the source of the version that apt would install as
#                   xen-hypervisor-<release>-amd64, or end with exit code 69
# XEN_FROM=pin      use the tarball that xen-patches/<release>/source pins
#
# Otherwise apt is asked where it offers this release, and the pinned tarball is used if
# apt cannot deliver, and where CI is set: two runs there build the same.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/apt.sh"
. "$PATCHES/lib/pin.sh"
no_arguments "$@"

own_tarball()
{
    [ -f "$XEN_TARBALL" ] || die "XEN_TARBALL is not a file: $XEN_TARBALL"
    [[ $XEN_TARBALL == *.dsc ]] || is_pinned "$XEN_TARBALL" ||
        note "XEN_TARBALL is not the source that the patches are made for;" \
             "it is used as it is."
    realpath "$XEN_TARBALL"
}

# The line of apt's sources that has the source of this version.
deb_src()
{
    local site suite

    read -r site suite < <(candidate_place "$RELEASE" "$1") || :
    echo "deb-src ${site:-https://deb.debian.org/debian} ${suite:-SUITE} main"
}

refuse_without_apt()
{
    status=69 die "Cannot fetch the source of Debian's xen $1 with apt." \
        "What apt said: $BUILD/log/apt-source.log" \
        "With a network, run 'apt-get update' and repeat the command. If it fails again," \
        "add this line to /etc/apt/sources.list: $(deb_src "$1")" \
        "Without a network: XEN_FROM=pin, or bring a source: XEN_TARBALL=FILE"
}

refuse_without_candidate()
{
    status=69 die "apt offers no $(hypervisor_package "$RELEASE") here." \
        "Run 'apt-get update', or build the pinned source: XEN_FROM=pin"
}

# from_apt: prints the path of the source, or the version that cannot be fetched.
from_apt()
{
    local candidate version

    candidate=$(debian_candidate "$RELEASE")
    [ -n "$candidate" ] || return 2
    version=$(source_version "$RELEASE" "$candidate")
    [ -n "${XEN_FROM:-}" ] || ! missing_today "$APT/xen_$version" || return 1
    apt_source "$version" || { echo "$version"; return 1; }
}

if [ -n "${XEN_TARBALL:-}" ]; then
    own_tarball
    exit
fi
case ${XEN_FROM:-${CI:+pin}} in
pin)
    pin_source ;;
apt)
    rc=0
    source=$(from_apt) || rc=$?
    [ "$rc" -ne 1 ] || refuse_without_apt "$source"
    [ "$rc" -ne 2 ] || refuse_without_candidate
    echo "$source" ;;
'')
    if source=$(from_apt); then
        echo "$source"
    else
        pin_source
    fi ;;
*)
    die "XEN_FROM is neither 'apt' nor 'pin': $XEN_FROM" ;;
esac
