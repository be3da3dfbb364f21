#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: --sockets 2 --cores 2
# time: 500
# only: full
#
# xenschedd reads the log of dom0's blkback: as soon as the module is loaded, with each page, under
# the numbers that it has assigned; also after blkback was reloaded, with a threshold, and after a
# daemon was killed.  At its end nothing is left.  Fails if a request is lost or counted twice on
# its way to the matrix, or if a daemon that has ended keeps the module loaded.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh
. /usr/lib/box/daemon.sh

# source_is NAME STATE
source_is()
{
    xensched status | awk -v name="$1" -v state="$2" '
        /^SOURCE/ { table = 1 }
        table && $1 == name { found = 1; print; ok = $2 == state }
        END { exit !(found && ok) }'
}

# Prints the number of rows of dom0's Linux.
rows()
{
    xensched status | awk '/^SOURCE/ { table = 1 }
                           table && $1 == "linux" { print $3 }'
}

# Compares each domain's accounting domain in the daemon with that in xenstore.
numbers_of_daemon()
{
    xensched status | awk '/^DOMAIN/ { table = 1; next }
                           table { print $2, $3 }' | sort
}

numbers_of_linux()
{
    for domid in $(xenstore-list /local/domain/0/schedlog/acct); do
        echo "$domid $(xenstore-read /local/domain/0/schedlog/acct/"$domid")"
    done | sort
}

no_numbers()
{
    ! xenstore-exists /local/domain/0/schedlog/acct
}

unload()
{
    remove_module xen-blkback && remove_module xensched_log
}

load_again()
{
    insmod "${modules:?}/xensched_log.ko" &&
        insmod "${modules:?}/xen-blkback.ko"
}

console_begin
start_daemon
is "the daemon starts" $? 0
check "no module: no log of Linux, and nothing wrong" source_is linux absent
check "the modules replace those of the kernel" use_drivers
check "it is read as soon as it is there" until_true 10 \
    source_is linux reading

disk_guest one
is "300 requests of a page" \
    "$(more_pages one 'disk-io /dev/xvda write 4096 300')" 300
is "40 of 32 pages and one with their segments" \
    "$(more_pages one 'disk-io /dev/xvda write 131072 40')" 1320
is "without I/O no page is counted" "$(more_pages one 'sleep 1')" 0
is "dom0's Linux has the numbers of all domains" \
    "$(numbers_of_linux)" "$(numbers_of_daemon)"
check "nothing of it is lost" sh -c \
    "xensched status | awk '\$1 == \"linux\" && \$4 == 0' | grep -q ."
check "xensched dump looks on" sh -c \
    'xensched dump --source linux --seconds 1 >dump.txt'

# blkback is unloaded and loaded again while the log is read.
guest stop one
check "blkback can be unloaded" remove_module xen-blkback
check "the log cannot, it is read" sh -c '! rmmod xensched_log'
check "and goes on to be" source_is linux reading
check "blkback can be loaded again" insmod "${modules:?}/xen-blkback.ko"
sleep 5
disk_guest two
is "the requests of the new guest are logged" \
    "$(more_pages two 'disk-io /dev/xvda write 4096 100')" 100

# The daemon is killed, and the next one has other log buffers.
stop_daemon KILL
start_daemon --log evtchn-send,ring-pages:3,ring-sectors
is "another one, after it was killed" $? 0
check "it has the log" until_true 10 source_is linux reading
before=$(rows)
estimate=$(more_pages two 'disk-io /dev/xvda write 4096 300')
note "threshold 3: 300 requests, $(($(rows) - before)) rows, $estimate pages"
check "of 300 requests a third, on each CPU, makes rows of pages, all of \
sectors" test $(($(rows) - before)) -ge 398 -a $(($(rows) - before)) -le 402
check "the matrix counts each for three" \
    test "$estimate" -ge 294 -a "$estimate" -le 306
guest stop two

stop_daemon TERM
is "it ends cleanly" "${stopped:?}" 0
check "its numbers are gone" no_numbers
check "the modules can go" unload

# The module is loaded after the daemon again, and then a daemon after it.
start_daemon
check "there is no log of Linux again" source_is linux absent
check "the modules come back" load_again
check "it is read again" until_true 10 source_is linux reading
stop_daemon TERM
start_daemon
check "a daemon which finds the module reads it at once" \
    until_true 5 source_is linux reading
stop_daemon TERM
check "the modules can go then, too" unload
check "the consoles have no errors" console_quiet
finish
