#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tap-summary.sh FILE...: read what test programs wrote (TAP), name what
# failed, and close with "N passed, N failed, N skipped" on a line of its own.
# A test that was planned and did not report counts as failed.  Where tests had to
# be run again because the emulator failed (a line "# retried WHAT"), ", N retried"
# follows; more than one is a failure.  Exit code 1 when anything failed or nothing
# was tested.

set -euo pipefail

awk '
function suite(file) { sub(/.*\//, "", file); sub(/\.tap$/, "", file); return file }
function fail(what)  { failed++; print "FAILED  " suite(name) ": " what }

# A file is complete: did all that was planned report?
function close_file()
{
    if ( name != "" && seen < planned )
        fail((planned - seen) " planned tests did not report")
}

FNR == 1              { close_file(); name = FILENAME; planned = seen = 0 }
{ sub(/\r$/, "") }
/^1\.\.0([^0-9]|$)/   { skipped++; next }
/^1\.\.[0-9]+/        { split($0, p, /\.\.| /); planned += p[2]; next }
/^# retried /            { retried++; print; next }
/^Bail out!/          { fail($0); next }
/^(not )?ok( |$)/        { seen++ }
/^ok( |$).*# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
/^ok( |$)/               { passed++; next }
/^not ok( |$)/           { sub(/^not ok *[0-9]* *-? */, ""); fail($0) }

END {
    close_file()
    if (retried > 1)
        fail(retried " tests had to be run again")
    printf "%d passed, %d failed, %d skipped%s\n", passed, failed, skipped,
        retried ? ", " retried " retried" : ""
    exit failed > 0 || passed == 0
}' "$@" < /dev/null
