#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2
# box: --sockets 1 --cores 2
# only: full
#
# Guests with a network communicate over dom0's bridge, through Linux's netback: data arrive
# unchanged, and pass through their interfaces in dom0. Fails if a card is not connected when the
# guest's script starts.

. /usr/lib/box/tap.sh

# sent NAME: prints the bytes that it has sent, by dom0's end of its card.
sent()
{
    cat "/sys/class/net/vif$(xl domid "$1").0/statistics/rx_bytes"
}

# sum_in NAME: prints the latest sum in its output.
sum_in()
{
    guest output "$1" | grep -E '^[0-9a-f]{32} ' | tail -n 1
}

guest start obedient name=one network=10.0.0.1/24
is "a guest with a network starts" $? 0
guest start obedient name=two network=10.0.0.2/24
is "and another one" $? 0
check "one reaches the other" in_guest one 'ping -c 1 -w 20 10.0.0.2'
before=$(sent one)
# nc ends when its input ends, so its input stays open.
in_guest two 'mkfifo silence; (exec 3<>silence; nc -l -p 7000 <&3 >got) & sleep 1'
in_guest one 'dd if=/dev/urandom of=it bs=64k count=16 2>/dev/null
              nc -w 5 10.0.0.2 7000 <it; md5sum <it'
in_guest two 'md5sum <got'
is "a MiB arrives as it was sent" "$(sum_in two)" "$(sum_in one)"
more=$(($(sent one) - before))
check "it went through its interface in dom0 ($more bytes)" \
    test $more -gt 1048576 -a $more -lt 1300000
is "the card's MAC is made from its address" \
    "$(xl network-list one | awk 'NR == 2 { print $3 }')" 00:16:3e:00:00:01
is "one whose bridge is gone does not start" "$(
    guest start idle name=lost xl='vif = [ "bridge=nobridge" ]' >/dev/null 2>&1
    echo $?)" 1
finish
