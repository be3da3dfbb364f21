#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --hvm --sockets 1 --cores 2 --dom0-memory 640
# time: 900
# only: full
#
# Guests' rows have the host's time: a PV guest with the host's TSC, one with an emulated TSC, and a
# PVH and an HVM guest, whose TSCs have an offset; all of them after a save and restore, and the
# last two after a migration (to the same host), while they are recorded.  A thread that writes a
# row runs at that time by Xen's rows, so a clock whose error exceeds its bound shows in more than a
# few rows at times when the vCPU did not run.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/timeline.sh

modules=/lib/xensched
rec=$RESULTS/clocks.rows
# shellcheck disable=SC2034 # for start_daemon
daemon_settings="--log service-ns,wake-delay,evtchn-send,evtchn-recv,migrate,guest-switch,guest-wake,guest-name"
insert="insmod $modules/xensched_log.ko && insmod $modules/xensched_guest.ko"

# Computes, sleeps and starts programs all the time.
work="$insert; while :; do doze 3 2 >/dev/null 2>&1; sleep 0.02; done"

# clock GUEST COLUMN
clock()
{
    schedlog-area clock "$(domid "$1")" 0 | cut -d ' ' -f "$2"
}

# sources: prints a line for each guest's source, with the bound of its clock's error
sources()
{
    tr -d ' \n' </run/timeline.json | sed 's/.*"sources":\[//; s/\].*//; s/},{/}\n{/g' |
        grep '"kind":"guest"' | sed 's/.*"domain":"\([^"]*\)".*"clock_error_ns":\([0-9]*\),.*/\1 \2/'
}

# asked GUEST: the daemon has requested its log
asked()
{
    until_true 30 xenstore-exists "/local/domain/$(xl domid "$1")/schedlog/area/directory"
}

# ahead GUEST: prints by how many ns its TSC is ahead of the host's
ahead()
{
    schedlog-area clock "$(domid "$1")" 0 |
        awk '{ printf "%.0f\n", ($2 - $1) * 1e6 / $3 }'
}

# migrated GUEST: migrates it to this host, which changes its domid
migrated()
{
    xl migrate -s "" "$1" "xl migrate-receive"
}

# again GUEST: saves and restores it, which changes its domid, too
again()
{
    xl save "$1" /run/saved && xl restore /run/saved && rm /run/saved
}

console_begin
guest start idle name=plain memory=160 run="$work" "xl=vm_affinity_log = 1"
guest start idle name=emulated memory=160 run="$work" "xl=tsc_mode = 'always_emulate'
vm_affinity_log = 1"
for type in pvh hvm; do
    guest start idle name=$type type=$type memory=192 run="$work" "xl=vm_affinity_log = 1"
done
start_daemon --mode observe
is "the daemon starts" "$?" 0
is "Xen says which TSC it emulates" "$(clock emulated 5) $(clock plain 5)" "1 0"
is "a PV guest has the host's TSC" "$(ahead plain)" 0
check "a PVH guest's TSC is another one" test "$(ahead pvh)" -lt -1000000000
check "an HVM guest's TSC is another one" test "$(ahead hvm)" -lt -1000000000
xensched record $rec 2>/run/said &
recorder=$!
for name in plain emulated pvh hvm; do
    check "$name is recorded" asked $name
done
sleep 3
for name in plain emulated pvh hvm; do
    check "$name is saved and restored" again $name
    check "and is recorded again" asked $name
done
for name in pvh hvm; do
    check "$name is migrated" migrated $name
    check "and is recorded again" asked $name
done
sleep 3
kill -INT $recorder
wait $recorder || true
cat /run/said
check "a restored guest answers without an error" \
    sh -c "! grep -q says: /run/said"
stop_daemon TERM
check "the timeline is made" sh -c "xensched timeline --json $rec >/run/timeline.json"
sources
is "there are ten guests' sources" "$(sources | wc -l)" 10
sources | awk '$2 >= 10000' >/run/inexact
check "each clock is known to 10 us" sh -c "! grep -q . /run/inexact"
note "rows of Linux: $(number rows_of_linux), while its vCPU did not run:" \
    "$(number rows_while_not_running), by $(number absent_ns) ns"
check "there are many rows" test "$(number rows_of_linux)" -gt 1000
check "at most one row in a thousand was written while its vCPU did not run" \
    test "$(number rows_while_not_running)" -le $(($(number rows_of_linux) / 1000))
note "of $(number wake_ups) wake-ups $(number disordered) before their notification," \
    "by $(number disorder_ns) ns; by chance $(number disordered_by_chance)"
check "at most one wake-up in a thousand comes before its notification, but by chance" \
    awk -v n="$(number disordered)" -v of="$(number wake_ups)" \
    -v chance="$(number disordered_by_chance)" \
    'BEGIN { over = n - of / 1000 - chance; exit over > 0 && over * over > 9 * (chance + 1) }'
check "and by less than 10 us" test "$(number disorder_ns)" -lt 10000
check "the consoles have no errors" console_quiet
finish
