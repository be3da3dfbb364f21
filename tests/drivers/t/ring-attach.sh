#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2
# box: --sockets 2 --cores 2 --numa
# time: 700
# only: full
#
# Disks are attached and detached repeatedly while the guest is busy with another one: each request
# of both is logged once, and the data are right.  Fails if starting or ending a ring loses rows or
# requests of another one.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh

cycles=16
! full || cycles=64
# On arm64 dom0 hardly starts a program while a guest is busy without a pause, and the emulator takes
# long to scrub the memory of a guest that has started many.
rest=true
! on_arm64 || cycles=8 rest='usleep 100000'

# Writes to the first disk until told to stop, 50 times at a time, and counts.
busy='(n=0; while [ ! -f /stop ] && disk-io /dev/xvda write 4096 50; do'
busy="$busy n=\$((n + 50)); $rest; done; echo \$n >/written) >/dev/null 2>&1 &"

# Each time there is another disk, and the test writes and reads back another place of it.  The
# first time xl attaches it, later disk-plug does.  The device leaves its bus a moment before its
# disk disappears, which must not count as the next disk.
plug="(n=0; while [ \$n -lt $cycles ]; do xenstore-write data/disk free;"
plug="$plug until [ -b /dev/xvdb ]; do usleep 200000; done;"
plug="$plug disk-io /dev/xvdb write 4096 5 \$((5 * n)) &&"
plug="$plug disk-io /dev/xvdb read 4096 5 \$((5 * n)) || {"
plug="$plug xenstore-write data/disk failed; break; };"
plug="$plug xenstore-write data/disk used; n=\$((n + 1));"
plug="$plug while [ -e /sys/bus/xen/devices/vbd-51728 -o -b /dev/xvdb ]; do"
plug="$plug usleep 200000; done; done) >/dev/null 2>&1 &"

cat >attach-and-detach <<END
. /usr/lib/box/tap.sh
domid=\$(xl domid plugged)
in_guest plugged '$busy' && in_guest plugged '$plug' || exit 95
xl block-attach plugged "phy:${disk:?},xvdb,w" || exit 96
until said=\$(xenstore-read /local/domain/\$domid/data/disk 2>/dev/null) &&
    [ "\$said" = used -o "\$said" = failed ]; do
    usleep 300000
done
[ "\$said" = used ] || exit 94
xl block-detach plugged xvdb || exit 97
disk-plug \$domid $disk $((cycles - 1)) || exit 98
in_guest plugged 'touch /stop; until [ -f /written ]; do usleep 300000; done'
END

# Prints the logged rows and sectors of KIND, from the line of ring-count.
logged()
{
    sed -n "s/.* $1 \([0-9]* [0-9]*\) .*/\1/p" counts
}

console_begin
check "the modules replace those of the kernel" use_drivers
guest start obedient name=plugged vcpus=2 disk=4
ring-count on "$(xl domid plugged)" sh ./attach-and-detach >counts 2>errors
code=$?
is "$cycles times attached and detached under I/O: $(cat errors)" $code 0
in_guest plugged 'echo written $(cat /written)'
written=$(guest output plugged | sed -n 's/^written //p')
note "writes of the busy disk: $written; $(cat counts)"
check "the other disk was busy" test "$written" -ge $((8 * cycles))
is "every write is logged" "$(logged write)" \
    "$((written + 5 * cycles)) $((8 * (written + 5 * cycles)))"
check "and nothing that is not the guest's" grep -q " others 0$" counts
check "dom0 finds what the guest wrote" \
    disk-io "$disk" read 4096 $((5 * cycles))
guest stop plugged
check "nothing holds blkback" remove_module xen_blkback
check "the consoles have no errors" console_quiet
finish
