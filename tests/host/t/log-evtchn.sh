#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest sends N notifications to another one: Xen logs exactly N rows, with
# the sender as current and the receiver as correspondent, and none the other
# way round.  Fails if a site is missed, taken twice, or charges the wrong end.
#
# time: 300

. /usr/lib/box/tap.sh

# ping N COMMAND...: N notifications, under the command's eyes
ping()
{
    local sends=$1 node

    shift
    guest start idle name=listener \
        run='evtchn-ping listen $(told node) $(told peer)' &
    guest start idle name=sender \
        run="evtchn-ping send \$(told node) \$(told peer) $sends" &
    wait
    listener=$(xl domid listener)
    sender=$(xl domid sender)
    node=$(meeting "$listener" "$sender")
    guest tell listener peer "$sender"
    guest tell sender peer "$listener"
    cat >go <<END
guest tell listener node $node
guest tell sender node $node
guest wait sender 60 && guest wait listener 60
END
    "$@"
}

sent()
{
    schedlog-count evtchn-send "$sender" "$listener" sh ./go
}

received()
{
    schedlog-count evtchn-send "$listener" "$sender" sh ./go
}

off()
{
    schedlog-count off "$sender" "$listener" sh ./go
}

first()
{
    echo "$1" | sed 's/ others.*//'
}

is "1000 notifications, 1000 rows" \
    "$(first "$(ping 1000 sent)")" "rows 1000 sum 1000"
is "7 notifications, 7 rows" "$(first "$(ping 7 sent)")" "rows 7 sum 7"
is "who receives does not send" "$(first "$(ping 500 received)")" "rows 0 sum 0"
is "nothing is logged while the event is off" \
    "$(ping 1000 off)" "rows 0 sum 0 others 0"
finish
