#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# install-source.sh RELEASE DESTDIR: installs the source for
# xensched-build-hypervisor to build Xen RELEASE: the scripts and the patches at the same
# paths as in this project, and debian/ as deb.sh has laid it out.

set -euo pipefail
cd "$(dirname "$0")/../../.."
. xen-patches/lib/paths.sh      # USUAL, from which a release takes most patches

[ $# -eq 2 ] || { echo "usage: install-source.sh RELEASE DESTDIR" >&2; exit 2; }
to=$2/usr/share/xensched/hypervisor
here=tools/packaging/hypervisor

mkdir -p "$to/debian" "$to/xen-patches" "$to/$here"
cp debian/{control,changelog,copyright,xen-release} "$to/debian"
cp -r xen-patches/{candidate,fetch,tree,build}.sh xen-patches/{lib,files} \
    "xen-patches/$USUAL" "$to/xen-patches"
cp -rT "xen-patches/$1" "$to/xen-patches/$1"
cp "$here"/{lay-out,pack}.sh "$here"/*.in "$to/$here"
install -D -t "$2/usr/sbin" "$here/xensched-build-hypervisor"
install -D -m 644 -t "$2/usr/share/man/man8" "$here/xensched-build-hypervisor.8"
