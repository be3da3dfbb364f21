#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: --sockets 2 --cores 2 --numa
# time: 90
# only: full
#
# A log module with another version of the ABI: programs report that and leave it alone, and a
# domain with it reports it in xenstore.  Fails if anything is set up, mapped or read across
# versions.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/drivers.sh

other=/lib/xensched/xensched_log-version-99.ko

console_begin
check "a module of version 99" insmod $other
is "its log is not touched" "$(ring-count on 1 echo run 2>&1)" \
    "ring-count: the log has version 99, this program has 2: Protocol error"
is "nothing was set up" "$(ring-try used)" 0
check "it can go" rmmod xensched_log

start_all stranger
domid=$(xl domid stranger)
nodes=/local/domain/$domid/schedlog
is "one in a guest" "$(in_guest stranger "insmod $other"; echo $?)" 0
is "is asked in vain" "$(domain-log "$domid" request | cut -d' ' -f1)" EPROTO
is "and says which one it is" "$(xenstore-read "$nodes/area/version")" 99
is "it advertises nothing" \
    "$(xenstore-read "$nodes/area/directory" 2>/dev/null)" ""
is "to its own version it would" \
    "$(domain-log "$domid" request version=99)" advertised
check "and lets go" domain-log "$domid" remove
guest stop stranger
check "the consoles have no errors" console_quiet
finish
