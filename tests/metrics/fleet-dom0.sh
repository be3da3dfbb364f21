#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# One of the two hosts of fleet-hosts.t, in dom0: its first network card leads to the
# other host, by the second one Prometheus reaches it.  "plan" has its guests, a line
# each: name, address, and what it runs.

. /usr/lib/box/bridge.sh

# (nf_tables needs the other one, and does not say so.)
modprobe crc32c_generic && modprobe nft_meta_bridge
# What is needed of nftables, which the box has not.
export PATH="$PWD/nft:$PATH" LD_LIBRARY_PATH="$PWD/nft"
mkdir /run/metrics
add_card 0 || exit
ip addr add 10.0.2.15/24 dev eth1
ip link set eth1 up
httpd -p 80 -h /run/metrics
xenschedd --mode advise --metrics /run/metrics/xensched.prom &
xensched traffic --metrics /run/metrics/traffic.prom &
while read -r name address run; do
    guest start idle "name=$name" "network=$address" "run=$run" </dev/null || exit
    echo "$name runs"
done <plan
echo "all run"
sleep 100000
