# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# The domid of a guest that "guest" has started.

# domid NAME: as "guest" has noted it; xl would take its time.
domid()
{
    cat "/run/guests/$1/domid"
}
