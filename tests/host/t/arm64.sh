#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# box: none
# time: 600
# only: full
#
# The log on arm64, in an emulated machine with four pCPUs: events are turned on, rows
# arrive from every pCPU in the order of their times, and events are turned off again.
# dom0 is Debian's own kernel with busybox; schedlog-area controls the log.  The
# emulator does not reorder memory accesses, so this shows nothing about their order.
#
# Needs 'make xen XEN_ARCH=arm64'; skipped where that or the emulator is missing.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../dom0/usr/lib/box/tap.sh
. "$here/dom0/usr/lib/box/tap.sh"
# shellcheck source=../lib/paths.sh
. "$here/lib/paths.sh"

readonly build=${BOX_ARM64_BUILD:-$BOX_TOP_BUILD/arm64}
readonly cache=$BOX_CACHE/arm64 xen=$build/xen/patched/xen/xen
readonly modules=kernel/drivers/xen

missing()
{
    local command

    for command in qemu-system-aarch64 aarch64-linux-gnu-gcc apt-get cpio; do
        command -v "$command" >/dev/null || { echo "no $command here"; return; }
    done
    [[ -f $xen ]] || echo "no $xen: 'make xen XEN_ARCH=arm64' builds it"
}

# arm64_apt PROGRAM ARGUMENT...: runs apt-get or apt-cache for arm64, without changing the
# system's lists of packages.
arm64_apt()
{
    "$1" -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o APT::Sandbox::User=root -o Dir::State::Lists="$cache/lists" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o Dir::State::status=/dev/null "${@:2}"
}

# fetch_packages: unpacks the kernel and busybox in $cache/system.
fetch_packages()
{
    local kernel deb

    [[ ! -d $cache/system ]] || return 0
    mkdir -p "$cache/lists/partial" "$cache/debs"
    arm64_apt apt-get update
    kernel=$(arm64_apt apt-cache depends linux-image-arm64 |
        sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p')
    (cd "$cache/debs" && arm64_apt apt-get download "$kernel" busybox-static)
    rm -rf "$cache/system.new"
    for deb in "$cache"/debs/*.deb; do
        dpkg-deb -x "$deb" "$cache/system.new"
    done
    mv "$cache/system.new" "$cache/system"
}

# build_control OUT: builds schedlog-area for arm64, without shared libraries.
build_control()
{
    make -s -C "$here/programs" CC=aarch64-linux-gnu-gcc DIST="$build/dist" \
        OUT="$(dirname "$1")" "$1"
}

# write_init FILE: writes dom0's script.  Each part of its output begins with "== NAME".
write_init()
{
    cat >"$1" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
PATH=/bin
mount -t devtmpfs devtmpfs /dev
mount -t proc proc /proc
exec </dev/hvc0 >/dev/hvc0 2>&1
for module in /modules/*; do insmod "$module"; done
say() { echo "== $1"; }
say begin
schedlog-area setup 8 1048576 , register 0 full , bind 0 all 2 , \
    route 0 all 0 , route 1 all 0 , route 2 all 0
say info
schedlog-area info
say on
schedlog-area events service-ns wake-delay runq hypercall-time irq-time
for cpu in 0 1 2 3; do
    taskset $((1 << cpu)) sh -c 'i=0; while [ $i -lt 20 ]; do usleep 10000; i=$((i+1)); done' &
done
wait
schedlog-area info
say off
schedlog-area events
schedlog-area info
schedlog-area rows 0 >/rows
usleep 500000
say later
schedlog-area rows 0 | cmp - /rows && echo same
say rows
awk '{ n[$2 " " $1]++; if ($6 < last[$1]) print "falls " $0
       last[$1] = $6; if (NR == 1 || $6 < first) first = $6; if ($6 > end) end = $6 }
     END { for (i in n) print "count " i " " n[i]; printf "span %.0f\n", end - first }' /rows
say again
schedlog-area events service-ns && schedlog-area events && echo both
say counters
schedlog-area pmc 1
say release
schedlog-area release && echo released
say end
sync
poweroff -f
INIT
    chmod +x "$1"
}

# make_initramfs OUT
make_initramfs()
{
    local root=$work/root kernel

    mkdir -p "$root"/{bin,dev,proc,modules}
    cp "$cache/system/bin/busybox" "$root/bin/"
    kernel=$(echo "$cache"/system/lib/modules/*)
    cp "$kernel/$modules/"{xen-privcmd,xen-evtchn}.ko "$root/modules/"
    build_control "$root/bin/schedlog-area"
    write_init "$root/init"
    (cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$1"
}

boot()
{
    timeout 300 qemu-system-aarch64 -nographic -net none -no-reboot \
        -machine virt,virtualization=on,gic-version=3 -cpu cortex-a57 -smp 4 -m 2048 \
        -kernel "$xen" \
        -append 'console=dtuart dtuart=/pl011@9000000 dom0_mem=1G' \
        -device guest-loader,addr=0x49000000,kernel="$(echo "$cache"/system/boot/vmlinuz-*)",bootargs='console=hvc0 rdinit=/init' \
        -device guest-loader,addr=0x53000000,initrd="$work/initramfs" \
        </dev/null 2>&1 | tr -d '\r' >"$work/console"
}

# part NAME: prints this part of dom0's output.
part()
{
    sed -n "/^== $1\$/,/^== /p" "$work/console" | grep -v -e '^==' -e '^(XEN)' -e '^\['
}

# number NAME PART: prints a number of schedlog-area info.
number() { part "$2" | awk -v name="$1" '$1 == name { print $2 }'; }

# pcpus_with EVENT: prints the number of pCPUs that logged it.
pcpus_with() { part rows | grep -c "^count $1 " || :; }

# The times of each pCPU rise, and lie within the time for which the events were on.
times_rise()
{
    part rows | awk -v khz="$(number tsc_khz info)" '
        $1 == "falls" { print; bad = 1 }
        $1 == "span" { ms = $2 / khz }
        END { if (ms < 100 || ms > 60000) { print "all rows in " ms + 0 " ms"; bad = 1 }
              exit bad }'
}

no_complaint() { ! grep -E '^\(XEN\).*(Assertion|Panic|FATAL|BUG|WARN)' "$work/console"; }

reason=$(missing)
if [[ -n $reason ]]; then
    skip "the log on arm64" "$reason"
    finish
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check "Debian's arm64 kernel and busybox are here" fetch_packages
check "the initial RAM disk is made" make_initramfs "$work/initramfs"
boot || :
cp "$work/console" "${BOX_RESULTS:-$BOX_BUILD/test/host}/arm64/" 2>/dev/null || :

check "dom0 runs to its end" grep -q '^== end' "$work/console"
is "info reports the rate of the counter, 62.5 MHz in QEMU" "$(number tsc_khz info)" 62500
is "each of four pCPUs has a log" "$(number nr_cpus info)" 4
check "rows have rising times" times_rise
for event in wake-delay runq hypercall-time irq-time; do
    check "$event: rows" test "$(pcpus_with $event)" -gt 0
done
is "service-ns: rows of each pCPU" "$(pcpus_with service-ns)" 4
is "events are off again" "$(number events_enabled off)" 0
is "no row comes after that" "$(part later)" same
is "sites can be patched again" "$(part again)" both
check "performance counters are refused" grep -q ENODEV <(part counters)
is "the log is given up" "$(part release)" released
check "Xen does not complain" no_complaint
finish
