#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in dom0 of a host with colours of the last-level cache.  dom0 has the colours 0 to 7, the
# guest left 8 to 11, and the guest right 11 to 15.  The guests stay paused, so the header of an
# arm64 image is enough as their kernel.

. /usr/lib/box/tap.sh

# xen_colours GUEST: prints the colours that the domain has according to Xen.
xen_colours()
{
    xl dmesg | sed -n "/General information for domain $(xl domid "$1"):/,/LLC colors/p" |
        sed -n 's/.*LLC colors: { \(.*\) }.*/\1/p' | tail -n 1
}

# create NAME COLOURS
create()
{
    cat >"$1.cfg" <<END
name = '$1'
type = 'pvh'
kernel = '$PWD/kernel'
memory = 16
llc_colors = [ $2 ]
END
    xl create -q -p "$1.cfg"
}

{ head -c 56 /dev/zero && printf 'ARMd' && head -c 4036 /dev/zero; } >kernel
create left "'8-11'"
create right "'11', '12-15'"
xl debug-keys q
xensched check >"$RESULTS/check"
sed 's/^/# /' "$RESULTS/check" | grep colours
is "Xen has dom0's colours" "$(xen_colours Domain-0)" 0-7
is "Xen has the colours of left" "$(xen_colours left)" 8-11
is "Xen has the colours of right" "$(xen_colours right)" 11-15
check "check lists dom0, which shares none" \
    grep "LLC colours of Domain-0.*0-7 according to Xen's command line; shared with no domain" \
    "$RESULTS/check"
check "check lists left, which shares with right" \
    grep "LLC colours of left.*8-11 according to its configuration; shared with right" \
    "$RESULTS/check"
check "check lists right, which shares with left" \
    grep "LLC colours of right.*11-15 according to its configuration; shared with left" \
    "$RESULTS/check"
finish
