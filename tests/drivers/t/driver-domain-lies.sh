#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 2 --numa --one-thread
# time: 300
#
# A driver domain that never answers, or logs what others are said to have done
# (programs/lie.c), harms nobody but itself: the daemon says what is wrong with
# this source, goes on with all others, and believes nothing about domains that
# the liar has nothing to do with.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/sources.sh
stopped=

# The reason that a source gives, to the end of its line.
reason()
{
    xensched status | awk -v name="$1" '$1 == name {
        $1 = $2 = $3 = $4 = $5 = ""; print; exit }'
}

# Rows of all others are read, now.
others_go_on()
{
    for source in hypervisor "$honest"; do
        until_true 10 more_rows $source "$(rows $source)" || {
            echo "no more rows of $source"
            return 1
        }
    done
}

# Whom the rings are between, by what the daemon believes.
believed()
{
    pairs ring-pages | tr ' ' '\n' | grep -v -x liar:deceived
}

# begin LIE: the guest tells it, to a new daemon.
begin()
{
    in_guest liar "killall lie 2>/dev/null; (lie $* &)"
    start_daemon --log evtchn-send,ring-pages
}

# end LIE: whatever it was.
end()
{
    check "$1: all other logs are still read" others_go_on
    is "$1: nothing is believed of others" "$(believed)" "$truth"
    stop_daemon TERM
    is "$1: the daemon ends as usual" "$stopped" 0
}

# mapped_lie LIE: it has a log, with nothing in it to be believed.
mapped_lie()
{
    begin "$@"
    check "$1: it is found out" until_true 20 found_out
    note "$1: rows $(rows "$liar"), refused $(refused "$liar"),$(reason "$liar")"
    end "$1"
}

found_out()
{
    [ "$(refused "$liar")" -gt 0 ] || source_is "$liar" failed
}

console_begin
guest start driver prepare='serve-disks /lib/xensched' &
guest start driver name=liar memory=160 run=obey xl='driver_domain = 1
maxmem = 220' &
wait
# Busy all the time, but not so much that nobody else has any.
cat >some-io.guest <<'END'
disk=4
run='while disk-io /dev/xvda write 4096 5; do usleep 200000; done'
END
guest start some-io name=remote backend=driver &
guest start some-io name=deceived backend=liar &
wait
honest=domain:$(xl domid driver)
liar=domain:$(xl domid liar)
start_daemon --log evtchn-send,ring-pages
check "there are pages to be seen" until_true 20 pair ring-pages driver remote
truth=$(believed)
note "the truth: $(echo "$truth" | tr '\n' ' ')"
check "a driver domain that never answers is only asked" source_is "$liar" asked
end silent

mapped_lie forged
check "nobody complained" console_quiet
finish
