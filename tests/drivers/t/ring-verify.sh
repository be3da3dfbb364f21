#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 2 --numa --tools
# time: 600
# only: full
#
# Data that was written through a ring is read back unchanged, whatever is logged, with the back end
# in dom0 and in a driver domain: fio writes and verifies, with many requests at a time.  Fails if a
# log site changes the data, or the time when a request is complete.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/sources.sh
. /usr/lib/box/verified.sh

# Prints the number of rows that xenschedd has read of both back ends.
both_rows()
{
    echo "$(rows linux) $(rows "$remote")"
}

both_read()
{
    source_is linux reading && source_is "$remote" reading
}

# config NAME COMMAND...: uses other data each time.
config()
{
    seed=$((seed + 1))
    name=$1
    shift
    check "$name: all data is right" "$@"
}

# at_least N: there are more rows of each than before; the last ones come a bit later.
at_least()
{
    local now

    now=$(both_rows)
    note "$name: rows of both: $before, then $now" >&2
    [ $((${now% *} - ${before% *})) -ge "$1" ] &&
        [ $((${now#* } - ${before#* })) -ge "$1" ]
}

# logged N EVENT,EVENT...: both write and verify while xenschedd logs these events; it reads at
# least N rows of each back end.
logged()
{
    start_daemon --log "$2"
    check "$2: both logs are read" until_true 30 both_read
    before=$(both_rows)
    config "$2" both_verified $((seed + 1))
    check "$2: both back ends have logged it" until_true 20 at_least "$1"
    stop_daemon TERM
}

# fio has to detect a byte that was changed between writing and reading.
finds_wrong_data()
{
    device=$(sed -n "s/^disk = \[ 'phy:\([^,]*\),.*/\1/p" /run/guests/local/config)
    in_guest local "verified-io 1000 --do_verify=0" || return
    dd if=/dev/urandom of="$device" bs=4k seek=700 count=1 oflag=direct &&
        ! in_guest local "verified-io 1000 --verify_only"
}

seed=0
console_begin
check "the modules replace those of the kernel" use_drivers
guest start driver prepare='serve-disks /lib/xensched' run=obey
guest start obedient name=local disk=10 tools=1 &
guest start obedient name=remote disk=10 backend=driver tools=1 &
wait
remote=domain:$(xl domid driver)

check "fio finds data which was changed" finds_wrong_data
config "off" both_verified 1

start_daemon --log evtchn-send
config "event channels" both_verified 2
stop_daemon TERM
# 512 + 64 are written and read; large ones can be merged, small ones cannot.
logged 341 evtchn-send,ring-pages:3
logged 1024 evtchn-send,ring-pages
logged 2048 all
for name in local remote driver; do
    guest stop $name
done
check "the consoles have no errors" console_quiet
finish
