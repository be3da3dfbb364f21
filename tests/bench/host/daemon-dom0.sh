# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For benchmarks in dom0: xenschedd, whose output is kept, with a journal of its
# own.

daemon_log=$RESULTS/xenschedd.log
daemon=

# start_daemon OPTION...: returns when it can be asked.
start_daemon()
{
    rm -rf /var/log/xensched
    xenschedd "$@" >>"$daemon_log" 2>&1 &
    daemon=$!
    until xensched status >/dev/null 2>&1; do
        kill -0 $daemon
        usleep 100000
    done
}

stop_daemon()
{
    kill -TERM $daemon
    wait $daemon
    daemon=
}
