#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs commands in a machine of machine.sh, started by systemd.  The caller writes them to
# a shared folder.
#
#   up        the id of this boot, once systemd has started all that it starts
#   command   the command; removed when it starts
#   said      its output
#   ended     its exit code, written last

set -e

modprobe 9pnet_virtio
modprobe 9p
mkdir -p /share
mount -t 9p -o trans=virtio,version=9p2000.L,cache=none share /share
cd /share
systemctl is-system-running --wait > /dev/null || : # a test may check for failed units
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
