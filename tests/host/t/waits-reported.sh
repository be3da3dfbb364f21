#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2
# box: --sockets 1 --cores 2 --dom0-vcpus 1
# time: 240
# only: full
#
# Two reports of waits.  A reaction to slow requests fires when the back end has to wait, and not
# before.  A guest finds its steal time by class in xenstore, with the daemon's values, if an
# operator allows that; no other guest can read it.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/log.sh

# shellcheck disable=SC2034 # for start_daemon
daemon_settings=
stopped=

# The guest reads its disk 100 times a second, and also obeys commands.
reading='disk-io /dev/xvda write 4096 2048 >/dev/null
(while disk-io /dev/xvda read 4096 2048 0 10000 >/dev/null; do :; done) &'

# steal CLASS: prints the class from the guest's agent, in ms
steal()
{
    guest output web | tr -d '\r' |
        awk -v class="for=\"$1\"}" 'index($1, class) { ms = $2 * 1000 } END { print ms }'
}

# live_ms CULPRIT: prints how long web waited for it, by the live waits, since the daemon began
live_ms()
{
    xensched waits web --seconds 200 --json | tr -d ' \n' | tr '{' '\n' |
        awk -v name="$1" -F'[":,]+' '
            /oldest/ { for (i = 1; i < NF; i++) if ($i == "seconds") seconds = $(i + 1) }
            $3 == name && /"waits_per_s"/ {
                for (i = 1; i < NF; i++) if ($i == "percent") percent = $(i + 1) }
            END { print percent * seconds * 10 }'
}

others_ms()
{
    calc "$(live_ms db) + $(live_ms mail)"
}

# near A B: within 2 % or 20 ms
near()
{
    awk -v a="$1" -v b="$2" 'BEGIN {
        print a, "and", b
        off = a < b ? b - a : a - b
        exit !(b > 0 && (off <= b / 50 || off <= 20)) }'
}

guest start obedient name=web disk=16 cpus=1 &
guest start computing name=db cpus=1 &
guest start computing name=mail cpus=1 &
wait
xl vcpu-pin Domain-0 all 0
xl pause db
xl pause mail
in_guest web "$reading"
start_daemon --mode observe
is "the daemon starts" "$?" 0

xensched on 'request-latency web > 10 ms' --do 'journal slow request' >on.txt 2>&1 &
on=$!
sleep 3
check "while dom0 has its pCPU, no request is slow" test ! -s on.txt
xl vcpu-pin db all 0
xl sched-credit2 -d db -w 512
xl unpause db
check "when its back end waits, a request is slow" until_true 20 grep -q 'request-latency' on.txt
xl pause db
sed 's/^/# /' on.txt
kill $on 2>/dev/null
wait $on
check "the journal has it" until_true 10 \
    grep -q '"what":"reaction".*"condition":"request-latency web > 10 ms"' \
    /var/log/xensched/journal.jsonl

xl vcpu-pin db all 1
xl sched-credit2 -d db -w 256
check "a guest without permission gets no report" \
    in_guest web "! xensched-agent --steal"
xenstore-write "/local/domain/$(domid web)/platform/vm-affinity-steal" 1
sleep 3
before=$(others_ms)
xl unpause db
xl unpause mail
sleep 4
xl pause db
xl pause mail
sleep 7
waited=$(calc "$(others_ms) - $before")
in_guest web "xensched-agent --steal"
check "its wait for others is the daemon's value" near "$(steal others)" "$waited"
check "hardly any of that is unknown" between 0 20 "$(steal unknown)"
check "the report names no guest" \
    sh -c "! xenstore-read /local/domain/$(domid web)/schedlog/steal | grep -w db"
check "only this guest can read it" sh -c \
    "xenstore-ls -p /local/domain/$(domid web)/schedlog | grep 'steal = .*(n0,r$(domid web))'"

stop_daemon TERM
is "the daemon ends" "$stopped" 0
check "and the report is removed" in_guest web "! xensched-agent --steal"
finish
