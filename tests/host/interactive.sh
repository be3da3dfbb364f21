#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# "make host": the host in a box with you in its dom0.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/box.sh
. "$here/lib/box.sh"

usage()
{
    cat <<END
Usage: interactive.sh [OPTION...] [FILE...]

Boots a Xen host in QEMU with a shell in dom0 on this terminal: 2 sockets x 2
cores with NUMA, if there is no OPTION.  FILEs are in /box/in there, and what is
put into \$RESULTS stays in the folder of the run.

$(host_options_help)
END
}

parse()
{
    while [[ $# -gt 0 ]]; do
        case $1 in
        --help) usage; exit 0 ;;
        -*)     host_option "$@" ;;
        *)      break ;;
        esac
        [[ $HOST_TAKEN -gt 0 ]] ||
            die "$BOX_EXIT_USAGE" "unknown option $1: see --help"
        shift "$HOST_TAKEN"
    done
    files=("$@")
    need_files "$@"
    host_options_check
}

files=()
[[ ${1-} == -* ]] || set -- --sockets 2 --cores 2 --numa "$@"
parse "$@"
[[ -t 0 && -t 1 ]] || die "$BOX_EXIT_USAGE" "this needs a terminal"
host_prepare
host_bring_in "${files[@]}"
say "booting; leave with the command poweroff in dom0, or with Ctrl-A X"
host_run_on_terminal
say "the console is kept in $HOST_RUN/console.log," \
    "what was in \$RESULTS in $HOST_RUN/share/results"
