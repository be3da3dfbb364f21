# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests which need a service manager: Debian's systemd, in a host that was
# asked for it (box --systemd).  It is the first process of its own PID namespace
# and has its own mounts, beside all else that runs in dom0; /run, the file system
# and Xen are the same.  Needs daemon.sh.

# The programs alone; modprobe is with them.
unpack_systemd()
{
    (cd / && cpio -i -d -u 2>/dev/null) </boot/systemd.cpio
}

# What it says of itself goes to dom0's console.
start_systemd()
{
    unpack_systemd || return 1
    mount -t cgroup2 cgroup2 /sys/fs/cgroup || return 1
    tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id
    # A new /proc has no xenfs, without which no unit of Xen is started.
    container=box unshare -p -f -m --mount-proc sh -c '
        mount -t xenfs xenfs /proc/xen &&
        exec /lib/systemd/systemd --system --unit=basic.target \
            --log-target=console --show-status=0' \
        </dev/null >/dev/null 2>&1 &
    until_true 60 in_systemd systemctl is-active basic.target
}

# The first one: others are processes which will be something else in a moment.
systemd_pid()
{
    pidof systemd | tr ' ' '\n' | sort -n | head -n 1
}

# in_systemd COMMAND...: where the service manager lives.
in_systemd()
{
    nsenter -t "$(systemd_pid)" -p -m "$@"
}
