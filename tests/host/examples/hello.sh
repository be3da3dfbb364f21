#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The smallest script for the box: prints the host's data and leaves a file.
#
#   tests/host/box --sockets 2 --cores 2 --numa --results /tmp/hello \
#       tests/host/examples/hello.sh

set -e

echo "This is $(hostname) on $(xl info xen_version)."
xl list
xl info -n >"$RESULTS/info.txt"
