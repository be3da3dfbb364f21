#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In a machine of machine.sh, started by systemd: does what it is told through the
# folder that it shares with its caller.
#
#   up        the id of this boot, once systemd has started all that it starts
#   command   what to do; taken away when it begins
#   said      what that said
#   ended     its exit code, written last

set -e

modprobe 9pnet_virtio
modprobe 9p
mkdir -p /share
mount -t 9p -o trans=virtio,version=9p2000.L,cache=none share /share
cd /share
systemctl is-system-running --wait > /dev/null || : # what failed, a test may ask
cp /proc/sys/kernel/random/boot_id up.new
mv up.new up
while :; do
    if [ -e command ]; then
        rc=0
        mv command doing
        (cd / && exec bash /share/doing) > said 2>&1 < /dev/null || rc=$?
        echo "$rc" > ended.new
        mv ended.new ended
    fi
    sleep 0.2
done
