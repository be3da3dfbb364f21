#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4 --xen-append xsm=dummy
#
# A guest sends N notifications to another one: Xen logs exactly N rows for the sender, and none in
# the other direction.  The receiver has one row for each notification that it can notice: all of
# them if it receives each before the next is sent, one or two if it receives none.  Fails if a site
# is missed, counts twice, or charges the wrong end.
#
# time: 120

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

# notify HOW-TO-RECEIVE HOW-TO-SEND N
notify()
{
    log_set_up 1048576
    log_guest sender $ONE
    log_guest listener $TWO
    logging "$events" in_both listener "evtchn-ping $1 \$NODE \$PEER" \
        sender "evtchn-ping $2 \$NODE \$PEER $3"
}

start_all listener sender

events=evtchn-send,evtchn-recv
notify listen send 1000
is "1000 notifications, 1000 rows" "$(rows evtchn-send $ONE $TWO)" 1000
is "a domain that receives does not send" "$(rows evtchn-send $TWO $ONE)" 0
check "the receiver receives no more than that" \
    between 1 1000 "$(rows evtchn-recv $TWO $ONE)"
is "a domain that sends does not receive" "$(rows evtchn-recv $ONE $TWO)" 0

notify answer ask 300
is "300 notifications, each after the answer to the last" \
    "$(rows evtchn-send $ONE $TWO) $(rows evtchn-recv $TWO $ONE)" "300 300"
is "300 answers" \
    "$(rows evtchn-send $TWO $ONE) $(rows evtchn-recv $ONE $TWO)" "300 300"

notify hold send 1000
is "1000 notifications that are not received are sent" \
    "$(rows evtchn-send $ONE $TWO)" 1000
# The kernel receives the first one; then one stays pending.
check "and received once or twice" \
    between 1 2 "$(rows evtchn-recv $TWO $ONE)"

events=
notify answer ask 50
is "nothing is logged while the events are off" "$(wc -l <log.rows)" 0
schedlog-area release
finish
