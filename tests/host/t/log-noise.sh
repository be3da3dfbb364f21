#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A scheduler writes noise over everything that it may write, at full speed, with all events on and
# guests that make all kinds of them.  This changes only which rows are in its own log buffers.
# Fails if Xen trusts a single word that it shares (see programs/xen-log/noise.c).
#
# box: --sockets 1 --cores 2 --parallel
# arm64: --sockets 1 --cores 2 --parallel --memory 2560 --xen-append xsm=dummy
# only: full
# time: 420

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/talk.sh

# start_mapper: starts two guests, one of which maps pages of the other without end.  They meet at a
# new node each time: the side that offers waits a minute for the other.
start_mapper()
{
    guest start idle name=granter run='node=$(told node) n=0
        while grant-map offer $node/$n $(told peer) 20; do n=$((n + 1)); done' &
    guest start idle name=mapper run='node=$(told node) n=0
        while grant-map map $node/$n $(told peer) 300; do n=$((n + 1)); done' &
    wait
    introduce granter mapper
}

guests="disk listener sender granter mapper"
guest start disk
start_ping 2000000000
start_mapper
let_meet listener sender
let_meet granter mapper
long=20 short=7
! full || long=60 short=20
console_begin

# shellcheck disable=SC2046 # one argument each
noise $long $short $(for guest in $guests; do xl domid "$guest"; done) >noise.out 2>&1
code=$?
sed 's/^/# /' noise.out
is "$long s of noise leave other log buffers alone, $short s anything else of Xen" \
    "$code" 0
check "there was noise, and events that it could have misled" awk -v long=$long -v short=$short '
    { words[NR] = $2; bytes[NR] = $6 }
    END { exit !(words[1] > 1e5 * long && words[2] > 5e4 * short &&
                 bytes[1] > 1e3 * long && bytes[2] > 500 * short) }' noise.out

for guest in $guests; do
    check "$guest is still there" xl domid "$guest"
done
check "the disk guest still does I/O" disk_goes_on
for guest in sender listener mapper granter; do
    guest stop "$guest"
done

is "a correct set-up counts exactly" "$(count_pings 1000)" 1000
check "the consoles have no errors" console_quiet
finish
