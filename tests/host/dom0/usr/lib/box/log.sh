# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests that say what is to be logged and count rows (schedlog-area).

# Accounting domains of the tests' guests: the first numbers that are free.
# shellcheck disable=SC2034 # for the tests
ONE=2 TWO=3

# log_set_up SIZE...: a new area, in which rows have everything, and no domain has
# an accounting domain of its own (bindings outlive areas).
log_set_up()
{
    schedlog-area release , unbind , setup 16 "$@" , register all full
}

# log_guest NAME ACCT [FILE]: all events of a guest are logged there.
log_guest()
{
    schedlog-area bind "$(domid "$1")" all "$2" , route "$2" all "${3:-0}"
}

# logging EVENT,EVENT... COMMAND...: they are on while the command runs.  All
# rows of log file 0 are in log.rows then.
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

# rows EVENT CURRENT CORRESPONDENT: how many there are; "any" is any.
rows()
{
    awk -v event="$1" -v current="$2" -v correspondent="$3" '
        $2 == event && $3 == current &&
        (correspondent == "any" || $4 == correspondent) { rows++ }
        END { print rows + 0 }' log.rows
}

# counters EVENT: of all rows, in the order in which they were logged
counters()
{
    awk -v event="$1" '$2 == event { print $6, $5 }' log.rows | sort -n |
        cut -d' ' -f2 | tr '\n' ' '
}

# between LEAST MOST VALUE: whole numbers, or not.
between()
{
    awk -v least="$1" -v most="$2" -v value="$3" 'BEGIN {
        print "got", value ", wanted", least, "to", most
        exit !(value != "" && value >= least && value <= most) }'
}

# log_info NAME: a number of schedlog-area info.
log_info()
{
    schedlog-area info | awk -v name="$1" '$1 == name { print $2 }'
}
