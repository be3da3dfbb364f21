#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In dom0: measures operations, in instructions; $RESULTS/costs has a line for each.

set -e
guest start idle name=pong run='pingpong pong' >&2
pong=$(xl domid pong)
{
    op-cost 3000
    pingpong ping "$pong" 3000
} >"$RESULTS/costs"
guest stop pong >&2
