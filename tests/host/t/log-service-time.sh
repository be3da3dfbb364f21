#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
#
# The logged service time of a guest adds up to what Xen accounts for it, within 1 %, and so do its
# TSC cycles.  Two guests compete for one pCPU, so that Xen switches between them; they are paused
# at both ends of the measurement, so that no run interval crosses an end.  A guest that nothing
# makes leave its pCPU is included: its time is reported in parts.
#
# time: 120

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

# compute SECONDS GUEST...
compute()
{
    local seconds=$1 guest

    shift
    for guest; do
        xl unpause "$guest"
    done
    sleep "$seconds"
    for guest; do
        xl pause "$guest"
    done
}

# measure SECONDS GUEST...: what "one" used, logged and accounted
measure()
{
    local before

    log_set_up 1048576 1048576
    log_guest one $ONE
    schedlog-area route $ONE service-tsc 1
    before=$(domain-usage time "$(domid one)")
    logging service-ns,service-tsc compute "$@"
    accounted=$(($(domain-usage time "$(domid one)") - before))
    schedlog-area rows 1 >tsc.rows

    logged=$(awk '{ sum += $5 } END { printf "%.0f", sum }' log.rows)
    in_cycles=$(awk -v khz="$(log_info tsc_khz)" \
        '{ sum += $5 / khz } END { printf "%.0f", sum * 1e6 }' tsc.rows)
    apart=$(paste log.rows tsc.rows | awk -v khz="$(log_info tsc_khz)" '{
        apart = $5 - $(NF / 2 + 5) / khz * 1e6
        most = apart > most ? apart : -apart > most ? -apart : most
    } END { printf "%.0f", most }')
    note "logged $logged ns, $in_cycles ns in cycles, accounted $accounted ns," \
        "one row apart by up to $apart ns"
}

guest start computing name=one cpus=3 &
guest start computing name=two cpus=3 &
wait
xl pause one
xl pause two

# Xen reads its clock, then takes the scheduler's lock, and switches last.  If this machine stops an
# emulated pCPU in between for tens of ms, the two times of that switch differ by as much.  The test
# fails if that happens three times in a row.
for attempt in 1 2 3; do
    measure 4 one two
    within 3 "$in_cycles" "$accounted" >/dev/null && break
    note "attempt $attempt: the times differ by more than 3 %"
done
check "there were context switches" \
    between 10 1000000 "$(awk '$4 != "none"' log.rows | wc -l)"
check "the guest had the pCPU for a while" test "$accounted" -ge 500000000
check "logged and accounted time agree within 1 %" \
    within 1 "$logged" "$accounted"
check "and in TSC cycles as well, within 3 %" \
    within 3 "$in_cycles" "$accounted"
is "both have the same rows" "$(wc -l <tsc.rows)" "$(wc -l <log.rows)"

measure 2 one
check "logged time of a guest that never leaves agrees as well" \
    within 1 "$logged" "$accounted"
# Ticks come every 10 ms, or later if the emulated pCPU has to wait itself.
check "nine tenths of its time are known within 30 ms" \
    between 0.9 1 "$(awk '{ sum += $5; if ($5 <= 3e7) soon += $5 }
                          END { print soon / sum }' log.rows)"
check "because there are reports in between" \
    between 30 1000 "$(rows service-ns $ONE none)"
schedlog-area release
finish
