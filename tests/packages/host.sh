# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A Debian host without a kernel, in a root of its own, for a test that writes TAP: a test
# sources this first.  $HOST is the folder of the root.

set -euo pipefail
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$TOP"
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/debian-root.sh
. tests/debian-root.sh

root_or_skip()
{
    [ "$(id -u)" -eq 0 ] || { echo "1..0 # SKIP roots of Debian need root"; exit; }
}

# quietly COMMAND...: prints the end of the output if the command fails.
quietly()
{
    "$@" > "$SAID" 2>&1 && return
    tail -n 30 "$SAID"
    return 1
}
SAID=$(mktemp)
trap 'rm -f "$SAID"' EXIT

# make_host SUITE: in the folder $HOST, without daemons.
make_host()
{
    rm -rf "$HOST"
    make_root "$1" "$HOST" || return
    printf '#!/bin/sh\nexit 101\n' > "$HOST/usr/sbin/policy-rc.d"
    chmod +x "$HOST/usr/sbin/policy-rc.d"
}

inside() { run_in "$HOST" / "$@"; }

# apt_get ARGUMENT...
apt_get()
{
    inside apt-get -q -y --no-install-recommends \
        -o Dpkg::Options::=--force-unsafe-io "$@"
}

# GRUB's answer for the device of a file: a chroot has none.
fake_probe()
{
    cat > "$HOST/usr/sbin/grub-probe" << 'END'
#!/bin/sh
case $* in
*target=device*)       echo /dev/sda1 ;;
*target=fs_uuid*)      echo 6f1c1f6e-0d3f-4a55-9a3e-0f6e2a3a8a11 ;;
*target=fs*)           echo ext2 ;;
*target=partmap*)      echo gpt ;;
*target=hints_string*) echo --hint-bios=hd0,gpt1 ;;
esac
END
}

# Two kernels with the configuration of a dom0, and GRUB's own menu of them, in which
# Debian's Xen is the default.
with_grub()
{
    local version

    apt_get install grub2-common grub-pc-bin "xen-hypervisor-$1-amd64" \
        xen-hypervisor-common && fake_probe || return
    for version in 6.1.0-1-amd64 6.1.0-10-amd64; do
        echo CONFIG_XEN_DOM0=y > "$HOST/boot/config-$version"
        echo kernel > "$HOST/boot/vmlinuz-$version"
    done
    mkdir -p "$HOST/boot/grub"
    inside update-grub && menu && ! menu | grep schedlog && default | grep 'Xen hypervisor'
}

default() { grep '^ *set default="[^$]' "$HOST/boot/grub/grub.cfg"; }

menu() { grep -oE "^\s*(menuentry|submenu) '[^']*'" "$HOST/boot/grub/grub.cfg"; }
