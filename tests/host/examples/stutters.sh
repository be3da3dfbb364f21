#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs three guests that stutter, and prints the commands' output about each: dom0 computes on
# the pCPU of the first, the second has a cap, and a vCPU that holds a lock of the third waits
# for another guest.
#
#   tests/host/box --mode exact --sockets 1 --cores 4 --dom0-vcpus 1 --timeout 1500 \
#       tests/host/examples/stutters.sh
#
# docs/operate/waits.md has the output.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

# shellcheck disable=SC2034 # of daemon.sh: its defaults
daemon_settings=
events=service-ns,wake-delay,preempt-delay,wait-part,migrate,evtchn-send

# Two threads, each with a vCPU of its own, make and remove folders in one folder, whose lock
# they need.
locking='mkdir /t
work() { while :; do mkdir /t/$1; rmdir /t/$1; done; }
work 1 & work 2'

# shown COMMAND...: prints command and output as on a terminal
shown()
{
    echo "# $*"
    "$@" 2>&1
    echo
}

guest start paced name=web cpus=1 &
guest start computing name=db cpus=1 &
guest start obedient name=mail vcpus=2 cpus=2-3 run="$locking" &
wait
xl vcpu-pin Domain-0 all 0
xl vcpu-pin mail 0 2
xl vcpu-pin mail 1 3
for name in db mail web; do xl pause $name; done
start_daemon --mode observe --log $events

note "dom0 computes on the pCPU of web"
xl unpause web
xl vcpu-pin Domain-0 0 1
spin 8 &
sleep 7
shown xensched waits web --seconds 5
wait $!
xl vcpu-pin Domain-0 0 0
xl pause web

note "db has a cap of 30 %"
xl sched-credit2 -d db -c 30
xl unpause db
sleep 7
shown xensched waits db --seconds 5
shown xl sched-credit2 -d db
xl pause db

note "mail's vCPU 0 shares its pCPU with db, which begins to run"
xl sched-credit2 -d db -c 0
xl vcpu-pin db all 2
xl unpause mail
sleep 3
xl unpause db
sleep 7
shown xensched waits mail --seconds 5
xl pause db
stop_daemon TERM
finish
