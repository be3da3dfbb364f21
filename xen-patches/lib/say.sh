# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How these scripts talk: one line per stage with the time it took, the whole
# output of a stage in build/log/, and errors that name the thing and the
# remedy.

note() { printf 'xensched: %s\n' "$*" >&2; }

# die LINE...: what is wrong, then what to do about it.  The exit code is $status, or 1.
die()
{
    printf 'xensched: error: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '    %s\n' "$@" >&2
    exit "${status:-1}"
}

# no_arguments ARGUMENT...: for a script that accepts none.
no_arguments()
{
    [ $# -eq 0 ] || die "${0##*/} accepts no argument: $*" "The top of $0 describes it."
}

# need COMMAND...: all of these must be there before work starts.
need()
{
    local c missing=()

    for c; do
        command -v "$c" > /dev/null || missing+=("$c")
    done
    [ ${#missing[@]} -eq 0 ] ||
        die "Missing on this machine: ${missing[*]}" \
            "'make setup' installs what the build needs."
}

# A counter of seconds for a person who watches; ends with its parent.
tick()
{
    while sleep 1 && kill -0 $$ 2> /dev/null; do
        printf '\r  %-52s %4d s ' "$1" $((SECONDS - $2))
    done
}

# stage LABEL LOG COMMAND...: run a command with its output in the log file.
# Standard input is closed: nothing in a build may ask a question.
stage()
{
    local label=$1 log=$BUILD/log/$2.log start=$SECONDS rc=0 ticker=

    shift 2
    mkdir -p "$BUILD/log"
    printf '  %-52s ' "$label"
    if [ -t 1 ]; then
        tick "$label" "$start" 9>&- &
        ticker=$!
    fi
    "$@" > "$log" 2>&1 < /dev/null || rc=$?
    if [ -n "$ticker" ]; then
        kill "$ticker" 2> /dev/null || :
        wait "$ticker" 2> /dev/null || :
        printf '\r  %-52s ' "$label"
    fi
    if [ "$rc" -ne 0 ]; then
        printf 'FAILED after %d s\n' $((SECONDS - start))
        tail -n 30 "$log" | sed 's/^/    | /' >&2
        die "'$label' failed (exit code $rc)." "The whole output: $log"
    fi
    printf '%4d s\n' $((SECONDS - start))
}

# lock: one script at a time works on the trees, however many were started.
lock()
{
    mkdir -p "$XEN"
    exec 9> "$XEN/.lock"
    flock -n 9 || { note "waiting for another build in $XEN"; flock 9; }
}
