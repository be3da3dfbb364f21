# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Starts and ends xenschedd for benchmarks in dom0, keeps its output, and gives it a
# separate journal.  One process may start it and another one end it.

daemon_log=$RESULTS/xenschedd.log
daemon_pid=/run/bench-xenschedd

# start_daemon OPTION...: returns when the daemon answers on its socket.
start_daemon()
{
    rm -rf /var/log/xensched
    xenschedd "$@" >>"$daemon_log" 2>&1 &
    echo $! >$daemon_pid
    until xensched status >/dev/null 2>&1; do
        kill -0 $!
        usleep 100000
    done
}

# end_process FILE: ends the process with the PID in the file, if it exists.  Returns when
# the process has ended; fails if it was a child that has failed.
end_process()
{
    local pid

    [ -f "$1" ] || return 0
    pid=$(cat "$1")
    rm "$1"
    kill -TERM "$pid"
    wait "$pid" 2>/dev/null || [ $? = 127 ]
    while [ -e "/proc/$pid/exe" ]; do
        usleep 50000
    done
}

stop_daemon()
{
    end_process $daemon_pid
}
