#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest maps P pages of another one N times: Xen logs exactly as many maps,
# and as many unmaps, as the guest's kernel makes.  That is two of each per
# page and time, since Linux maps a page for itself and for the program.
#
# time: 300

. /usr/lib/box/tap.sh

pages=20
times=25
maps=$((2 * pages * times))

# share EVENT: pages are offered by one guest and mapped by another
share()
{
    local node

    guest start idle name=granter \
        run="grant-map offer \$(told node) \$(told peer) $pages" &
    guest start idle name=mapper \
        run="grant-map map \$(told node) \$(told peer) $times" &
    wait
    granter=$(xl domid granter)
    mapper=$(xl domid mapper)
    node=$(meeting "$granter" "$mapper")
    guest tell granter peer "$mapper"
    guest tell mapper peer "$granter"
    cat >go <<END
guest tell granter node $node
guest tell mapper node $node
guest wait mapper 60 && guest wait granter 60
END
    schedlog-count "$1" "$mapper" "$granter" sh ./go | sed 's/ others.*//'
}

is "$pages pages mapped $times times" "$(share grant-map)" \
    "rows $maps sum $maps"
is "$pages pages unmapped $times times" "$(share grant-unmap)" \
    "rows $maps sum $maps"
is "nothing is logged while the events are off" "$(share off)" "rows 0 sum 0"
finish
