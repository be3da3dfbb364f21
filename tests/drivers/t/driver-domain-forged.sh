#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --sockets 1 --cores 2 --dom0-vcpus 1 --device edu
# time: 1500
# only: full
#
# A driver domain never answers, or reports false data about its log in each way of
# programs/linux-log/lie.c.  The daemon reports the fault of this source, answers its clients, reads
# all other sources, and uses no data about domains that have nothing to do with this one.  Fails if
# a guest can crash, stop or mislead the scheduler of its host.
#
# The mode is exact because the test mostly waits, which takes no time there, and because load of
# the machine then delays no step.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/sources.sh
stopped=

# look: reads the daemon's sources once, because a request takes most of a second on this host.
look()
{
    xensched status >status && sed -n '/^SOURCE/,/^$/p' status >seen
}

# field SOURCE N: prints field N of the source's line.
field()
{
    awk -v name="$1" -v n="$2" '$1 == name { print $n; exit }' seen
}

# Prints the source's reason, to the end of its line.
reason()
{
    awk -v name="$1" '$1 == name {
        $1 = $2 = $3 = $4 = $5 = ""; print; exit }' seen
}

# says STATE WORDS: checks the liar's state and reason.
says()
{
    look && [ "$(field "$liar" 2)" = "$1" ] &&
        reason "$liar" | grep -q -F -- "$2"
}

# Forged rows are refused, but other rows of that log are used.
is_refused()
{
    look && [ "$(field "$liar" 5)" -gt 0 ]
}

# The client waits for at most 5 s.  A single quick answer could be chance.
answers()
{
    look && cp seen before && look && look
}

# goes_on SOURCE: there are more rows of it than before.
goes_on()
{
    [ "$(field "$1" 3)" -gt "$(awk -v name="$1" '$1 == name { print $3; exit }' \
        before)" ]
}

others_have_more()
{
    look && goes_on hypervisor && goes_on linux && goes_on "$honest"
}

# Rows of all other sources are being read.
others_go_on()
{
    until_true 20 others_have_more || {
        cat before seen
        return 1
    }
}

# rate EVENT FROM TO: prints the rate per second as a whole number.
rate()
{
    xensched matrix | awk -v event="$1" -v from="$2" -v to="$3" \
        '$1 == event && $2 == from && $4 == to { printf "%d", $6 + 1 }'
}

# The daemon accepts from the liar at most what its client can have requested: 512 requests of 257
# pages for each notification.  Allows twice that, because both rates decay.
believes_no_more()
{
    local pages notifications

    pages=$(rate ring-pages liar deceived)
    notifications=$(rate evtchn-send deceived liar)
    note "flood: $pages pages, $notifications notifications per second"
    [ "${pages:=0}" -gt 0 ] && [ "$pages" -le $((2 * notifications * 512 * 257)) ]
}

# Prints the first frame of the memory of edu, a device of QEMU.
device_frame()
{
    local device

    for device in /sys/bus/pci/devices/*; do
        [ "$(cat "$device/vendor" "$device/device" | tr '\n' ' ')" = \
            "0x1234 0x11e8 " ] &&
            echo $(($(cut -d ' ' -f 1 "$device/resource" | head -n 1) / 4096))
    done
}

# Prints the pairs of a back end and a front end in the daemon's matrix.
believed()
{
    pairs ring-pages | tr ' ' '\n' | grep -v -x liar:deceived
}

# begin LIE...: starts a new daemon and the lie.
begin()
{
    in_guest liar "killall lie 2>/dev/null; (lie $* &)"
    start_daemon --log evtchn-send,ring-pages
}

# end LIE: checks what is true after any lie.
end()
{
    check "$1: the daemon answers" answers
    check "$1: all other logs are still read" others_go_on
    is "$1: no row about other guests is used" "$(believed)" "$truth"
    note "$1: rows $(field "$liar" 3), refused $(field "$liar" 5),$(reason "$liar")"
    stop_daemon TERM
    is "$1: the daemon ends as usual" "$stopped" 0
}

# lie LIE STATE WORDS [ARGUMENT...]: checks the effect of a lie.
lie()
{
    local name="$1" state="$2" words="$3"

    shift 3
    begin "$name" "$@"
    check "$name: the daemon detects it" until_true 20 says "$state" "$words"
    end "$name"
}

console_begin
check "the modules replace those of the kernel" use_drivers
guest start driver prepare='serve-disks /lib/xensched' &
# A device is passed through to it.
mmio=$(device_frame)
guest start driver name=liar memory=160 run=obey \
    xl="driver_domain = 1
iomem = [ '$(printf %x "$mmio"),1' ]" &
wait
# Each lie needs some memory.
xl mem-max liar 220
# Always busy, but leaves pCPU time for others.
cat >some-io.guest <<'END'
disk=4
run='while disk-io /dev/xvda write 4096 5; do usleep 500000; done'
END
guest start some-io name=local &
guest start some-io name=remote backend=driver &
guest start some-io name=deceived backend=liar &
wait
honest=domain:$(xl domid driver)
liar=domain:$(xl domid liar)
start_daemon --log evtchn-send,ring-pages
check "the driver domain's pages are in the matrix" until_true 20 pair ring-pages driver remote
check "and dom0's" until_true 20 pair ring-pages Domain-0 local
truth=$(believed)
is "the pairs are the true ones" "$(echo "$truth" | tr '\n' ' ')" \
    "Domain-0:local driver:remote "
check "a driver domain that never answers stays in state asked" \
    says asked "has not answered"
theirs=$(xenstore-read \
    "/local/domain/${honest#domain:}/schedlog/area/directory")
end silent

# Lies in xenstore's nodes.
lie error failed 'says: E%s%n?[2J?'
if full; then
    lie version failed 'version 4294967295'
    lie nr-cpus failed 'an impossible number of CPUs'
    lie nr-acct failed 'another geometry'
    lie sizes failed 'another geometry'
    lie text failed 'a directory which is not of the size'
fi
lie numbers failed 'cannot map the directory'

# Lies in the directory: random numbers, frames of the other driver domain, of Xen and dom0, one
# that no domain has, one that is read-only, one of a device.
! full || lie noise-list failed 'cannot map the routes'
# shellcheck disable=SC2086 # several
lie frames failed 'cannot map the routes' $theirs 0 1 4096 65536
lie mmio failed "$(printf 'frame %#x is no memory of domain' "$mmio")" "$mmio"
if full; then
    lie wild-frame failed 'cannot map the log of CPU 0'
    lie page-table failed 'cannot map the routes'
    lie many-cpus failed 'CPUs, and has 1'
    lie many-logs failed 'CPUs, and has 1'
fi

# Lies in mapped pages.
! full || lie one-frame failed 'contradicts itself'
lie noise failed 'contradicts itself'
lie positions failed 'contradicts itself'
lie busy failed 'is being changed for ever'
begin absurd
check "absurd: the daemon refuses its rows" until_true 20 is_refused
check "absurd: the daemon names the reason" says reading 'or impossible'
end absurd
begin flood
check "flood: the daemon refuses its rows" until_true 20 says reading 'more work for its clients'
check "flood: only possible numbers are used" believes_no_more
end flood
begin forged
check "forged: the daemon refuses its rows" until_true 20 is_refused
check "forged: the daemon names the reason" says reading 'about other domains'
end forged

# Pages that the domain has returned keep their contents until they are unmapped, and then they are
# freed.
begin given-back
check "given-back: it is read" until_true 20 says reading ""
check "given-back: the pages were returned" \
    until_true 20 sh -c "guest output liar | grep -q -x 'given back'"
end given-back

domid=${liar#domain:}
guest stop deceived
guest stop liar
check "nothing of the liar is left" until_true 10 gone "$domid"
check "the consoles have no errors" console_quiet
finish
