#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 2 --numa
# time: 600
# only: full
#
# A domain without privileges advertises its log to dom0 through xenstore, and dom0 reads its rows.
# The frames stay advertised as long as dom0 uses them, whatever happens in the domain, and no
# longer. Fails if rows are missing, if pages are freed while dom0 may map them, or if a released
# log, or that of a domain that has ended, leaves anything.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh

modules=/lib/xensched
runq=26 # guest-runq, of the five that need no back end

# Prints the node of the area, if it exists.
area()
{
    xenstore-read "$nodes/area/$1" 2>/dev/null
}

area_is()
{
    equal "$(area "$1")" "$2"
}

# area_becomes NODE VALUE: within 10 s.
area_becomes()
{
    until_true 10 area_is "$@"
}

# producer NAME: starts a guest whose Linux can log.  (Do not call it by check.)
producer()
{
    guest start obedient name="$1" vcpus=2
    domid=$(xl domid "$1")
    nodes=/local/domain/$domid/schedlog
    in_guest "$1" "insmod $modules/xensched_log.ko && \
insmod $modules/xensched_guest.ko"
}

ask()
{
    domain-log "$domid" request "$@" | cut -d' ' -f1
}

# busy NAME: in_guest for the script that domain-log runs.
busy()
{
    cat >busy-go <<END
. /usr/lib/box/tap.sh
in_guest $1 "for task in 1 2 3; do spin 1 & done; wait"
END
}

# Prints the memory that the log uses in the guest, in bytes.
used()
{
    in_guest "$1" "echo used \$(ring-try used)"
    guest output "$1" | sed -n 's/^used //p' | tail -n 1
}

console_begin
producer logs

# Errors are reported, and leave nothing of the request.
is "another version" "$(ask version=99)" EPROTO
is "it says which it has" "$(area version)" 2
is "nothing is advertised then" "$(area directory)" ""
is "no version" "$(ask version=)" EINVAL
is "no number" "$(ask nr-acct=many)" EINVAL
is "no sizes" "$(ask sizes=)" EINVAL
is "a size that is none" "$(ask 'sizes=65536 -1')" EINVAL
is "a size that is no power of two" "$(ask sizes=65535)" EINVAL
is "too many accounting domains" "$(ask nr-acct=65536)" EINVAL
is "a number that does not fit" "$(ask nr-acct=4294967360)" EINVAL
is "no lease" "$(ask lease-ms=0)" EINVAL
is "too short a lease" "$(ask lease-ms=99)" EINVAL
is "an event that does not exist" "$(ask events=16777216)" EOPNOTSUPP
is "it says which it has" "$(area events-built)" $((31 << runq))
is "more than max_mib" \
    "$(ask 'sizes=16777216 16777216 16777216 16777216 16777216 16777216 16777216 16777216')" \
    E2BIG
is "no memory is used by any of it" "$(used logs)" 0
check "the module is not held by errors" in_guest logs "rmmod xensched_guest && \
rmmod xensched_log"
is "and takes its answer with it" "$(xenstore-list "$nodes/area")" ""
check "it answers what was asked before it was there" in_guest logs \
    "insmod $modules/xensched_log.ko && insmod $modules/xensched_guest.ko"
check "... with that error" area_becomes error \
    "E2BIG the area would be larger than max_mib allows"

# Valid requests.
busy logs
rows=$(domain-log "$domid" count $runq sh ./busy-go)
note "three busy tasks in the guest: $rows"
check "dom0 reads what happens there" test "$(echo "$rows" | cut -d' ' -f2)" -ge 20
is "and nothing else" "${rows##* }" 0
again=$(domain-log "$domid" count $runq sh ./busy-go)
check "again, in the same area: $again" \
    test "$(echo "$again" | cut -d' ' -f2)" -ge 20
is "another layout meanwhile" "$(ask nr-acct=32)" EBUSY
is "does not touch what there is" "$(ask)" advertised
is "another version does not touch the area" "$(ask version=99)" EPROTO
is "a malformed request does not touch the area" "$(ask sizes=1)" EINVAL
is "the area stays advertised" "$(ask)" advertised
is "with no error" "$(area error)" ""

# The lease.
is "events are on" "$(ask events=$((1 << runq)))" advertised
check "a local scheduler is kept away" in_guest logs \
    "ring-try off 2>&1 | grep -q 'File exists'"
is "a short lease" "$(ask events=$((1 << runq)) lease-ms=500)" advertised
check "the lease ends: they are off" area_becomes events 0
check "and stay off" sh -c "sleep 2; [ \"\$(xenstore-read $nodes/area/events)\" = 0 ]"
check "the area stays" test -n "$(area directory)"
check "the module is in use" in_guest logs \
    "rmmod xensched_guest && ! rmmod xensched_log"
check "the events that it offers change" area_becomes events-built 0
check "a local release is refused" in_guest logs \
    "ring-try release 2>&1 | grep -q 'resource busy'"
check "they can be turned on again" in_guest logs \
    "insmod $modules/xensched_guest.ko"
is "... by asking again" "$(ask events=$((1 << runq)))" advertised
is "... and are on" "$(area events)" $((1 << runq))

# The end.
check "a request that is removed is let go" domain-log "$domid" remove
is "nothing is left in xenstore" "$(xenstore-list "$nodes/area")" ""
is "nothing is left in memory" "$(used logs)" 0
is "it can be asked again" "$(ask)" advertised
xenstore-chmod "$nodes/area/directory" n0 "r$domid"
xenstore-rm "$nodes/request"
sleep 2
check "frames that cannot be taken out of xenstore stay the log's" \
    test "$(used logs)" -gt 0
xenstore-chmod "$nodes/area/directory" n0 "b$domid"
check "... until they can" in_guest logs \
    "until [ \$(ring-try used) = 0 ]; do usleep 100000; done"
is "and are there no more" "$(area directory)" ""
is "it can be asked once more" "$(ask)" advertised
xenstore-rm "$nodes"
check "everything removed by hand: let go, too" in_guest logs \
    "rmmod xensched_guest; until rmmod xensched_log; do usleep 100000; done"
guest stop logs

# A domain that is saved and restored is a new one, with other frames.
producer moves
is "before a save" "$(ask events=$((1 << runq)))" advertised
check "saved and restored" sh -c "xl save moves saved && xl restore saved"
domid=$(xl domid moves)
echo "$domid" >/run/guests/moves/domid
nodes=/local/domain/$domid/schedlog
check "no reader asked the new domain: it has let go" in_guest moves \
    "until [ \$(ring-try used) = 0 ]; do usleep 100000; done"
busy moves
rows=$(domain-log "$domid" count $runq sh ./busy-go)
check "it can be asked, and read: $rows" \
    test "$(echo "$rows" | cut -d' ' -f2)" -ge 20
guest stop moves

# A domain is destroyed while its log is mapped.
producer dies
is "one more" "$(ask)" advertised
(xensched dump --source "domain:$domid" >dump.txt 2>&1; : >dump.ended) &
cat >die <<END
. /usr/lib/box/tap.sh
guest stop dies
sleep 1
xl list | grep -q '(null)' && echo kept
END
is "mapped pages keep it from going" "$(domain-log "$domid" hold sh ./die)" kept
check "a reader ends automatically" until_true 10 test -f dump.ended
check "... and says why: $(cat dump.txt)" \
    grep -q -E 'is gone|has given its log up' dump.txt
check "without the mapping it is gone" sh -c \
    "for i in 1 2 3 4 5 6 7 8 9; do xl list | grep -q '(null)' || exit 0; sleep 1; done; exit 1"
check "the consoles have no errors" console_quiet
finish
