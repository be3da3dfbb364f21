# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# The bridge on which guests with a network are, in dom0.

bridge=xenbr0

# Once; the first guest with a network has it made, too.
make_bridge()
{
    modprobe xen-netback && modprobe bridge || return
    [ -d "/sys/class/net/$bridge" ] || brctl addbr "$bridge" || return
    ip link set "$bridge" up
}

# add_card NUMBER: the network card of the host which is the NUMBERth of those given
# with --device, from 0, so that the bridge goes beyond this host.
add_card()
{
    modprobe virtio_net && make_bridge && ip link set "eth$1" up &&
        brctl addif "$bridge" "eth$1"
}
