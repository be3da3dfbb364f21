#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# time: 240
# only: full
#
# Where the memory of domains is, and how long their vCPUs wait for a pCPU, as Xen reports it to
# schedulers: pages per node are those of Xen's debug key 'u', also by a sample, in calls of bounded
# length; a domain that has ended has none; of two vCPUs that want one pCPU each waits while the
# other runs.  Fails if pages are missed, or are those of other domains.

. /usr/lib/box/tap.sh

# Xen's report: "DOMID NODE PAGES" of each domain, none with 0.  A Xen for arm64 has one node and no
# such key.
report()
{
    if on_arm64; then
        for domid in $(xl list | awk 'NR > 1 { print $2 }'); do
            echo "$domid 0 $(domain-usage pages "$domid")"
        done | sort
        return
    fi
    xl dmesg -c >/dev/null
    xl debug-keys u
    xl dmesg | sed 's/^(XEN) *\(\[[^]]*\]\)* *//' | awk '
        /^d[0-9]+ \(total: / { domid = substr($1, 2) }
        /^Node [0-9]+: / && $3 { print domid, $2 + 0, $3 }' | sort
}

owners()
{
    schedlog-area owners "$1" | awk '$1 != "-" && $3'  | sort
}

# of FILE DOMID: prints "NODE PAGES" of each of its nodes in one line.
of() { awk -v domid="$2" '$1 == domid { printf "%s ", $2 " " $3 }' "$1"; }

# close_to TOLERANCE SCALE FILE FILE: the same lines, numbers within a part
close_to()
{
    awk -v tolerance="$1" -v scale="$2" '
        { key = $1 " " $2 }
        NR == FNR { got[key] = $3 * scale; all += 1; next }
        { seen++; off = got[key] / $3 - 1 }
        off > tolerance || off < -tolerance {
            print "domain " $1 " node " $2 ": " got[key] ", Xen says " $3
            bad = 1
        }
        END { exit bad || !seen || all != seen }' "$3" "$4"
}

guest start idle name=one &
guest start idle name=other &
guest start idle name=pair vcpus=2 cpus=3 run='spin 1000000 & spin 1000000' &
wait

report >xen
owners 1 >ours
sed 's/^/# Xen: /' xen
sed 's/^/# owners: /' ours
for name in one other pair; do
    is "each page of guest $name is found on its node" \
        "$(of ours "$(domid $name)")" "$(of xen "$(domid $name)")"
done
on_arm64 || check "they have memory on both nodes" awk '
    $1 && $2 == 0 { zero = 1 }
    $1 && $2 == 1 { one = 1 }
    END { exit !(zero && one) }' xen
check "dom0's as well, which change meanwhile, within 1 %" close_to 0.01 1 ours xen
owners 61 >sample
check "a sample of every 61st frame agrees within 10 %" close_to 0.1 61 sample xen

total=$(xl info | awk '$1 == "total_memory" { print $3 * 256 }')
calls=$(schedlog-area owners 1 | awk '$1 == "-" { print $3 }')
note "$total frames in $calls calls"
check "no call reads more than 4096 frames" test "$calls" -ge $((total / 4096))
is "no step is refused" "$(schedlog-area owners 0)" "owners: EINVAL"
is "times of an unknown domain are refused" \
    "$(schedlog-area times 999)" "times: ESRCH"

gone=$(domid other)
guest stop other
owners 1 >ours
is "a domain that has ended has no memory" "$(of ours "$gone")" ""

# of_4_s GUEST: prints ms of each vCPU running, runnable, blocked and offline in 4 s.
of_4_s()
{
    schedlog-area times "$(domid "$1")" >first
    sleep 4
    schedlog-area times "$(domid "$1")" >last
    paste first last | awk '{ print $1, $7 - $2, $8 - $3, $9 - $4, $10 - $5 }'
}

of_4_s pair >pair
of_4_s one >idle
sed 's/^/# spinning vCPU, running, runnable, blocked, offline: /' pair
sed 's/^/# idle vCPU, running, runnable, blocked, offline: /' idle
check "each of two vCPUs that spin on one pCPU waits as long as it runs" awk '
    { all = $2 + $3 + $4 + $5; half += $2 > 0.35 * all && $3 > 0.35 * all }
    END { exit half != 2 }' pair
check "one that sleeps is blocked" awk '
    { all = $2 + $3 + $4 + $5; exit $4 < 0.9 * all }' idle
check "all states together are the time that passed" awk '
    { all = $2 + $3 + $4 + $5; bad += all < 3900 || all > 8000 }
    END { exit bad > 0 || NR != 3 }' pair idle
finish
