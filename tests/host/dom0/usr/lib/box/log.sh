# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests that choose what is logged and count rows (schedlog-area).

# Accounting domains of the tests' guests: the first numbers that are free.
# shellcheck disable=SC2034 # for the tests
ONE=2 TWO=3

# log_set_up SIZE...: makes a new area, in which rows have all fields, and no domain has an
# accounting domain of its own (bindings outlive areas).
log_set_up()
{
    schedlog-area release , unbind , setup 16 "$@" , register all full
}

# log_guest NAME ACCT [FILE]: routes all events of a guest to the log buffer.
log_guest()
{
    schedlog-area bind "$(domid "$1")" all "$2" , route "$2" all "${3:-0}"
}

# logging EVENT,EVENT... COMMAND...: turns the events on while the command runs.  After that,
# log.rows has all rows of log buffer 0.
logging()
{
    local code=0

    # shellcheck disable=SC2046 # one argument each
    schedlog-area events $(echo "$1" | tr , ' ')
    shift
    "$@" || code=$?
    schedlog-area events , rows 0 >log.rows
    return $code
}

# rows EVENT CURRENT CORRESPONDENT: counts rows; "any" matches all.
rows()
{
    awk -v event="$1" -v current="$2" -v correspondent="$3" '
        $2 == event && $3 == current &&
        (correspondent == "any" || $4 == correspondent) { rows++ }
        END { print rows + 0 }' log.rows
}

# counters EVENT: prints those of all rows, in the order of logging
counters()
{
    awk -v event="$1" '$2 == event { print $6, $5 }' log.rows | sort -n |
        cut -d' ' -f2 | tr '\n' ' '
}

# between LEAST MOST VALUE: compares any numbers.
between()
{
    awk -v least="$1" -v most="$2" -v value="$3" 'BEGIN {
        print "got", value ", wanted", least, "to", most
        exit !(value != "" && value >= least && value <= most) }'
}

# log_info NAME: prints a number of schedlog-area info.
log_info()
{
    schedlog-area info | awk -v name="$1" '$1 == name { print $2 }'
}
