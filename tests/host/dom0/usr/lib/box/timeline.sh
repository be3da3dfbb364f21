# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests of recordings: what "xensched timeline --json" says, in /run/timeline.json.

# number KEY [GUEST]: of all, or of this guest.
number()
{
    tr -d ' \n' </run/timeline.json |
        if [ -n "${2-}" ]; then
            sed "s/.*\"domain\":\"$2\",\([^}]*\)}.*/\1/"
        else
            cat
        fi | tr ',{}' '\n\n\n' | sed -n "s/^\"$1\"://p" | head -n 1
}
