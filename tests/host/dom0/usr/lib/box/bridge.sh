# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# dom0's bridge, with all guests that have a network.

bridge=xenbr0

# Makes it once; the first guest with a network does, too.
make_bridge()
{
    modprobe xen-netback && modprobe bridge || return
    [ -d "/sys/class/net/$bridge" ] || brctl addbr "$bridge" || return
    ip link set "$bridge" up
}

# add_card NUMBER: adds the NUMBERth network card of the host that was given with --device, from 0,
# so that the bridge reaches beyond this host.
add_card()
{
    modprobe virtio_net && make_bridge && ip link set "eth$1" up &&
        brctl addif "$bridge" "eth$1"
}
