# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests after which Xen and dom0 must have no complaint.

# Discards earlier messages.
console_begin()
{
    xl dmesg -c >/dev/null
    dmesg -c >/dev/null
}

# Prints the complaints; there may be none.  Guests' lines start with (dN).
console_quiet()
{
    {
        xl dmesg | grep -v '^(d[0-9]*)' | grep -E \
            'Panic|FATAL|Xen (BUG|WARN|call trace)|Assertion|Watchdog|schedlog: no area'
        dmesg | grep -E \
            'BUG|WARNING|Oops|Call Trace|general protection|soft lockup|hung task'
    } >/tmp/complaints
    cat /tmp/complaints
    [ ! -s /tmp/complaints ]
}
