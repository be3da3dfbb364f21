#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The Debian packages, on a Debian host that is really booted, by GRUB from its own disk,
# in QEMU: on Debian's Xen, which stays the default, apt installs them; grub-reboot boots
# the hypervisor once; there systemd has started the daemon, which under Debian's own
# toolstack sees a guest that xl has started, and places it; the next boot is Debian's
# again, until the hypervisor is made the default; a purge leaves what was there before.
# Fails if another hypervisor runs than was asked for, if the daemon does not know by the
# log what runs, or if something is left.
# Needs root, and the packages that packages.sh has built.  Writes TAP.
#
#   boot.sh [--uefi] [SUITE...]     bookworm and trixie if not given; by their BIOS
#   boot.sh --packages FOLDER SUITE     those of the folder instead (upgrade.sh)

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
cd "$TOP"
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/debian-root.sh
. tests/debian-root.sh
# shellcheck source=tests/packages/disk.sh
. tests/packages/disk.sh
# shellcheck source=tests/packages/machine.sh
. tests/packages/machine.sh

declare -A RELEASE=([bookworm]=4.17 [trixie]=4.20)
OVMF=/usr/share/ovmf/OVMF.fd

# packages SUITE: prints the folder with the packages.
packages() { echo "${PACKAGES:-$ROOTS/$1/xensched/build/deb}"; }

# --- the host ---

quiet_disk()
{
    make_disk "$SUITE" "$PLACE" "$(packages "$SUITE")" > "$PLACE/disk.log" 2>&1 ||
        { tail -n 20 "$PLACE/disk.log"; return 1; }
}

# Boots Linux without Xen and without GRUB, with either firmware.
start_linux()
{
    start_machine "$PLACE/disk" "$PLACE" -kernel "$PLACE/vmlinuz" \
        -initrd "$PLACE/initrd.img" -append "root=LABEL=disk ro console=ttyS0"
}

grub_for_bios() { inside grub-install --target=i386-pc /dev/vda; }

grub_for_uefi()
{
    inside sh -euc '
        mkfs.vfat -n EFI /dev/vda2
        mkdir -p /boot/efi
        mount /dev/vda2 /boot/efi
        grub-install --target=x86_64-efi --removable --no-nvram'
}

install_grub()
{
    booted && "grub_for_$FIRMWARE" && inside update-grub && switch_off
}

start_disk()
{
    start_machine "$PLACE/disk" "$PLACE" "${FIRMWARE_OPTIONS[@]}"
}

# Linux reports this from Xen.
has_firmware()
{
    # shellcheck disable=SC2016 # for the shell in there
    inside sh -euc '
        firmware=bios
        [ ! -d /sys/firmware/efi ] || firmware=uefi
        echo "$firmware"
        [ "$firmware" = "$1" ]' sh "$FIRMWARE"
}

none_has_failed()
{
    local failed

    failed=$(inside systemctl --failed --no-legend) && echo "$failed" && [ -z "$failed" ]
}

# runs_xen FILE: whether GRUB has loaded this file and it runs, by its build id.
runs_xen()
{
    # shellcheck disable=SC2016 # for the shell in there
    inside bash -euc '
        xl dmesg | grep "Bootloader: GRUB"
        id=$(xl info | sed -n "s/^build_id *: //p")
        echo "build id of what runs: $id"
        [ ${#id} -eq 40 ]
        zcat "$1" | LC_ALL=C grep -caP "$(sed "s/../\\\\x&/g" <<< "$id")"' bash "$1"
}

debians() { runs_xen "/boot/xen-$XEN-amd64.gz"; }
ours() { runs_xen "/boot/schedlog-xen-$XEN-amd64.gz"; }

# --- the packages ---

# The commands of README.md.
install()
{
    inside sh -euc 'cd /packages
        export DEBIAN_FRONTEND=noninteractive
        apt-get -q -y --no-install-recommends install ./xensched_*.deb \
            ./xen-hypervisor-*-schedlog_*.deb'
}

# A daemon that does not start there is no failure; systemctl reports the reason.
does_not_start()
{
    local said

    [ "$(inside systemctl show -P ActiveState xenschedd)" = inactive ] || return
    said=$(inside systemctl status xenschedd || :)
    echo "$said"
    grep 'xenschedd cannot start here: .*schedlog' <<< "$said"
}

choose_once() { inside grub-reboot "xen-$XEN-schedlog"; }

has_started() { inside systemctl is-active xenschedd; }

# ran DOMAIN: prints the number of its rows on dom0's pCPUs, and elsewhere.
ran()
{
    inside xensched dump --seconds 3 | awk -v domain="$1" '
        $3 == "service-ns" && $4 == domain { if ($2 < 2) near++; else away++ }
        END { print near + 0, away + 0 }'
}

# Dom0 cannot run anywhere else.
rows_of_dom0()
{
    local near away

    read -r near away < <(ran Domain-0)
    echo "rows of dom0 on its pCPUs: $near, on others: $away"
    [ "$near" -gt 20 ] && [ "$away" -eq 0 ]
}

# within SECONDS COMMAND...: repeats the command until it succeeds.
within()
{
    local last=$((SECONDS + $1)) said

    shift
    until said=$("$@" 2>&1); do
        [ "$SECONDS" -lt "$last" ] || { echo "$said"; return 1; }
        sleep 2
    done
}

# says COMMAND PATTERN: whether a line of xensched's output matches.
says()
{
    local said

    said=$(inside xensched "$1") && echo "$said" && grep -E "$2" <<< "$said"
}

proposed() { says plan '^reader .*proposed'; }

# The affinity that Xen keeps, and the pCPUs on which the guest ran.
placed()
{
    local near away

    inside xl vcpu-list reader | grep 'all / 0-1$' || return
    read -r near away < <(ran reader)
    echo "rows of the guest on dom0's pCPUs: $near, on others: $away"
    [ "$near" -gt 20 ] && [ $((away * 20)) -le "$near" ]
}

act()
{
    inside xensched act && within 120 placed
}

put_back()
{
    inside systemctl stop xenschedd && inside xl vcpu-list reader | grep 'all / all$'
}

menu() { inside grep -oE "^\s*(menuentry|submenu) '[^']*'" /boot/grub/grub.cfg; }

nothing_is_left()
{
    local left

    inside env DEBIAN_FRONTEND=noninteractive apt-get -q -y purge \
        xensched "xen-hypervisor-$XEN-amd64-schedlog" &&
        menu && menu | grep 'with Xen hypervisor' && ! menu | grep schedlog || return
    left=$(inside find / -xdev \( -path /packages -o -path /var/log/apt -o \
        -path /var/lib/apt -o -path /var/cache/apt \) -prune -o \
        \( -name '*xensched*' -o -name '*schedlog*' \) -print)
    echo "$left"
    [ -z "$left" ]
}

# The package documents this in a file of GRUB.
choose_always()
{
    inside sh -euc 'sed -i "s/^#GRUB_DEFAULT/GRUB_DEFAULT/" "$1"; update-grub' sh \
        "/etc/default/grub.d/xenschedlog-$XEN.cfg"
}

reboots_debians() { reboot && debians; }

reboots_ours() { reboot && ours; }

# --- all of it ---

TESTS=25

try_suite()
{
    SUITE=$1 XEN=${RELEASE[$1]} PLACE=$ROOTS/$1.machine
    rm -rf "$PLACE"
    mkdir -p "$PLACE"

    check "$SUITE: a disk with Debian's Linux and Xen" quiet_disk
    start_linux
    check "$SUITE: GRUB is installed there" install_grub
    start_disk
    check "$SUITE: GRUB boots it" booted
    check "$SUITE: it boots with the requested firmware" has_firmware
    check "$SUITE: on Debian's Xen" debians
    check "$SUITE: apt installs the packages" install
    check "$SUITE: the daemon does not start there, and reports the reason" does_not_start
    check "$SUITE: that is no failure" none_has_failed
    check "$SUITE: grub-reboot accepts the entry" choose_once
    check "$SUITE: it boots again" reboot
    check "$SUITE: on the hypervisor with the log" ours
    check "$SUITE: no unit has failed" none_has_failed
    check "$SUITE: the daemon has started" has_started
    check "$SUITE: xensched check is content" inside xensched check
    check "$SUITE: the daemon can be asked" says status '^Domain-0 '
    check "$SUITE: rows show that dom0 runs, and where" rows_of_dom0
    check "$SUITE: Debian's xl starts a guest" inside xl create /guest/reader.cfg
    check "$SUITE: the daemon proposes to move it near dom0" within 120 proposed
    check "$SUITE: in mode act, the daemon moves it there" act
    check "$SUITE: when it stops, the daemon restores the affinity" put_back
    check "$SUITE: the next boot is Debian's Xen again" reboots_debians
    check "$SUITE: the hypervisor can be made the default" choose_always
    check "$SUITE: it boots as the default" reboots_ours
    check "$SUITE: purged while it runs, nothing is left" nothing_is_left
    check "$SUITE: then Debian's Xen boots" reboots_debians
    stop_machine
    rm -f "$PLACE/disk"
}

if [ "$(id -u)" -ne 0 ]; then
    echo "1..0 # SKIP disks of Debian hosts need root"
    exit
fi
FIRMWARE=bios FIRMWARE_OPTIONS=()
if [ "${1:-}" = --uefi ]; then
    FIRMWARE=uefi FIRMWARE_OPTIONS=(-bios "$OVMF")
    [ -e "$OVMF" ] || { echo "boot.sh: $OVMF is missing: apt-get install ovmf" >&2; exit 1; }
    shift
fi
PACKAGES=
if [ "${1:-}" = --packages ]; then
    PACKAGES=${2:-}
    shift 2
fi
[ $# -gt 0 ] || set -- bookworm trixie
for suite; do
    [ -n "${RELEASE[$suite]:-}" ] ||
        { echo "boot.sh: not known: $suite, only: ${!RELEASE[*]}" >&2; exit 2; }
    ls "$(packages "$suite")"/*.deb > /dev/null 2>&1 ||
        { echo "boot.sh: no packages for $suite: tests/packages/packages.sh $suite" >&2
          exit 1; }
done
echo "1..$(($# * TESTS))"
for suite; do
    try_suite "$suite"
done
