# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests that fio writes and verifies: two guests with tools=1, of which
# "local" has its disk from dom0 and "remote" has its from a driver domain.

# both_verified SEED: at the same time.
both_verified()
{
    local code

    in_guest local "verified-io $1" &
    in_guest remote "verified-io $1"
    code=$?
    wait $! || return 1
    return $code
}
