#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fetch.sh FOLDER: Debian's Prometheus and node_exporter, unpacked there and not
# installed: the packages would start services on this machine.

set -euo pipefail

to=$1
if [[ -f $to/done ]]; then
    exit
fi
rm -rf "$to"
mkdir -p "$to/packages"
cd "$to/packages"
# apt's own user may not be able to write to a build folder.
apt-get -qq -o APT::Sandbox::User=root download prometheus \
    prometheus-node-exporter >&2
for package in *.deb; do
    dpkg-deb -x "$package" "$to"
done
rm -r "$to/packages"
touch "$to/done"
