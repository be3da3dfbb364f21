# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# RAM disks for guests, of any size, in the domain that serves them.  A RAM disk of Linux has the
# size that its module received once, so each guest gets a partition of one.

# The last disk appears when all others exist; modprobe returns at once while another modprobe is
# still at work.
make_ram_disks()
{
    until [ -b /dev/ram63 ]; do
        modprobe brd rd_nr=64 rd_size=1048576 max_part=1 || return
        usleep 10000
    done
}

# take_ram_disk FOLDER MIB: prints a free device, and notes it in FOLDER/NAME.
take_ram_disk()
{
    local ram sectors=$(($2 * 2048)) shift

    make_ram_disks || return
    mkdir -p "$1"
    for ram in /dev/ram*[0-9]; do
        case $ram in *p[0-9]*) continue ;; esac
        mkdir "$1/${ram##*/}" 2>/dev/null || continue
        {
            head -c 446 /dev/zero
            # One entry: type 83, first sector 2048, number of sectors.
            printf '\0\0\0\0\203\0\0\0\0\010\0\0'
            for shift in 0 8 16 24; do
                printf "\\$(printf %o $((sectors >> shift & 255)))"
            done
            head -c 48 /dev/zero
            printf '\125\252'
        } | dd of="$ram" bs=512 conv=notrunc 2>/dev/null
        blockdev --rereadpt "$ram"
        echo "${ram}p1"
        return
    done
    return 1
}

# give_ram_disk_back FOLDER DEVICE: frees it, with nothing of it in a cache.
give_ram_disk_back()
{
    local ram=${2%p1}

    blockdev --flushbufs "$ram" || true
    rmdir "$1/${ram##*/}"
}
