#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2
# box: --sockets 1 --cores 2
# time: 200
# only: full
#
# Xen's events about a guest's network, which Linux's netback serves, are as
# docs/internals/events.md says: a copy for each packet of the guest, a map and an unmap for each
# page of a packet longer than 128 bytes, and a copy for each piece that the guest receives.  The
# test compares them with the counters of the interface in dom0. Fails if netback moves data without
# a row, or if the page is wrong.

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh
. /usr/lib/box/bridge.sh

ours=10.0.0.1 theirs=10.0.0.2

# counted WHAT: prints a counter of the guest's interface: rx_ is what it sent, tx_ what it
# received.
counted()
{
    cat "/sys/class/net/vif$domid.0/statistics/$1"
}

# during COMMAND...: sets variables to what was counted and logged during the command.
during()
{
    local code=0

    packets_out=$(counted rx_packets) bytes_out=$(counted rx_bytes)
    packets_in=$(counted tx_packets) bytes_in=$(counted tx_bytes)
    log_set_up 4194304
    log_guest talker $ONE
    schedlog-area bind 0 all $TWO , route $TWO all 0
    logging grant-map,grant-unmap,grant-copy,evtchn-send "$@" || code=$?
    packets_out=$(($(counted rx_packets) - packets_out))
    packets_in=$(($(counted tx_packets) - packets_in))
    bytes_out=$(($(counted rx_bytes) - bytes_out))
    bytes_in=$(($(counted tx_bytes) - bytes_in))
    copies=$(rows grant-copy $TWO $ONE)
    maps=$(rows grant-map $TWO $ONE)
    unmaps=$(rows grant-unmap $TWO $ONE)
    note "it sent $packets_out packets, $bytes_out bytes; got $packets_in, $bytes_in;" \
        "$copies copies, $maps maps, $unmaps unmaps," \
        "$(rows evtchn-send $ONE $TWO) and $(rows evtchn-send $TWO $ONE) notifications"
    return $code
}

# pings SIZE: 50 of them, each answered
pings()
{
    during in_guest talker "ping -q -A -c 50 -s $1 -w 60 $ours"
}

# Neither side sends ARP requests, or IPv6 packets without being asked.
no_others='echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 && arp -s'

guest start obedient name=talker network=$theirs/24
domid=$(xl domid talker)
ip addr add $ours/24 dev "${bridge:?}"
check "they reach each other" in_guest talker "ping -c 1 -w 20 $ours"
check "and are silent otherwise" sh -c "$no_others $theirs \
    $(xenstore-read "/local/domain/$domid/device/vif/0/mac")"
check "... both" in_guest talker "$no_others $ours $(cat "/sys/class/net/$bridge/address")"
sleep 3 # Linux reports the bridge's multicast groups twice, within a second each

pings 56
is "50 pings of 98 bytes are answered" $? 0
is "each way has 50 packets" "$packets_out $packets_in" "50 50"
is "each is one copy" "$copies" $((packets_out + packets_in))
is "copies map nothing" "$maps $unmaps" "0 0"

pings 1000
is "50 pings of 1042 bytes are answered" $? 0
is "each packet is one copy, longer ones, too" "$copies" $((packets_out + packets_in))
is "the part of a guest's packet beyond 128 bytes is mapped, a page for each" "$maps" 50
is "and unmapped" "$unmaps" 50


# 8042 bytes lie in two or three pages on each side, so up to five pieces lie in one page on both
# sides.
ip link set "vif$domid.0" mtu 9000
ip link set "$bridge" mtu 9000
in_guest talker "ip link set eth0 mtu 9000"
pings 8000
is "50 pings of 8042 bytes are answered" $? 0
is "each way has 50 large packets" "$packets_out $packets_in" "50 50"
check "each page of what the guest sends is mapped" between 100 150 "$maps"
is "and unmapped, larger packets, too" "$unmaps" "$maps"
check "a copy for each packet that it sends, and for each piece that it receives" \
    between $((50 + 2 * 50)) $((50 + 5 * 50)) "$copies"

schedlog-area release
finish
