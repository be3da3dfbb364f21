# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests of what xenschedd reads: sources of "xensched status", and pairs of domains of "xensched
# matrix".

# source_field NAME N: prints the Nth field of its line.
source_field()
{
    xensched status | awk -v name="$1" -v n="$2" '
        $1 == "SOURCE" { on = 1 }
        on && $1 == name { print $n; exit }
        on && !NF { exit }'
}

source_is()
{
    [ "$(source_field "$1" 2)" = "$2" ]
}

no_source()
{
    [ -z "$(source_field "$1" 2)" ]
}

rows()
{
    source_field "$1" 3
}

# more_rows NAME THAN
more_rows()
{
    [ "$(rows "$1")" -gt "$2" ]
}

refused()
{
    source_field "$1" 5
}

# pairs EVENT: prints all pairs, as FROM:TO.
pairs()
{
    xensched matrix | awk -v event="$1" '$1 == event { print $2 ":" $4 }' |
        sort | tr '\n' ' '
}

# pair EVENT FROM TO
pair()
{
    pairs "$1" | tr ' ' '\n' | grep -q -x "$2:$3"
}

# gone DOMID: whether it has ended, not only died.
gone()
{
    ! xl list | awk 'NR > 1 { print $2 }' | grep -q -x "$1"
}

# xensched-disks in the obedient guest "driver".
start_agent()
{
    in_guest driver 'setsid xensched-disks >/run/disks.log 2>&1 </dev/null &'
}

agent_is_heard()
{
    xensched status | grep "^domain:$(xl domid driver) " |
        grep -q 'xensched-disks there reports'
}
