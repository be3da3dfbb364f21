# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Where guests ran, and how many notifications crossed sockets, by the rows of the log, which have
# the pCPU. Neither affinities nor xenschedd's conclusions from the same rows matter; the daemon is
# needed only because it has turned the events on.
#
#   record_ran SECONDS; ran_share GUEST CPUS; ran_sockets GUEST; crossings A B
#
# read one recording, so that one is enough for many guests; ran_at and runs_at make their own.
# Guests of a group that share a number count as one.  Crossings are correct only while each event
# makes a row (no threshold).

ran_sums=/run/ran.sums

# record_ran SECONDS: records all rows from now on, and reads them afterwards, so that dom0 has
# little to do meanwhile.
record_ran()
{
    rm -f $ran_sums
    [ -s /run/ran.topology ] || ran_topology >/run/ran.topology
    xensched record --seconds "$1" /run/ran.rows 2>/run/ran.said || {
        cat /run/ran.said >&2
        return 1
    }
    {
        cat /run/ran.topology
        ran_numbers
        xensched dump --json /run/ran.rows | sum_of_rows
    } >$ran_sums
    rm /run/ran.rows
    ! grep lost $ran_sums >&2
}

case $(uname -m) in
aarch64) ran_place=cluster ;;
*)       ran_place=socket ;;
esac

# Prints "socket PCPU SOCKET" for each pCPU.  Xen for arm64 reports one socket (and complains that
# it has no devices): two clusters are taken for sockets, each with half of the pCPUs.
ran_topology()
{
    xl info -n 2>/dev/null | awk -v place="$ran_place" '
        /^cpu_topology/ { on = 1 }
        /^(device topology|numa_info)/ { on = 0 }
        on && /^ *[0-9]+:/ { socket[$1 + 0] = $3; nr++ }
        END { for (cpu = 0; cpu < nr; cpu++)
                  print "socket", cpu,
                        place == "cluster" ? int(2 * cpu / nr) : socket[cpu] }'
}

# Prints "number NAME ACCT" for each guest.
ran_numbers()
{
    xensched status | awk '
        $1 == "DOMAIN" { on = 1; next }
        on { print "number", $1, $3 }'
}

# Prints "ran ACCT PCPU NS", "sent FROM TO PCPU NUMBER", "seconds S". Rows in JSON have numbers,
# rows in text the names of domains.
sum_of_rows()
{
    tr -d '{}"' | awk -F '[:,]' '
        {
            for (i = 1; i < NF; i += 2)
                row[$i] = $(i + 1)
        }
        /lost_rows/ { print "lost", $0; next }
        {
            now = row["time_s"]
            if (now + 0 > 0 && (!first || now < first))
                first = now
            if (now + 0 > last)
                last = now
        }
        row["event"] == "service-ns" {
            ran[row["current"] " " row["cpu"]] += row["counter"]
        }
        row["event"] == "evtchn-send" {
            sent[row["current"] " " row["correspondent"] " " row["cpu"]] += row["counter"]
        }
        END {
            for (key in ran)
                printf "ran %s %.0f\n", key, ran[key]
            for (key in sent)
                printf "sent %s %d\n", key, sent[key]
            printf "seconds %.3f\n", last - first
        }'
}

# ran_share GUEST CPUS: prints the percentage of its time on these pCPUs ("0-3,8"); nothing if it
# did not run.
ran_share()
{
    awk -v guest="$1" -v cpus="$2" '
        BEGIN {
            for (n = split(cpus, part, ","); n; n--) {
                ends = split(part[n], end, "-")
                for (cpu = end[1]; cpu <= end[ends]; cpu++)
                    there[cpu + 0] = 1
            }
        }
        $1 == "number" && $2 == guest { acct = $3 }
        $1 == "ran" && $2 == acct {
            all += $4
            if ($3 in there)
                at += $4
        }
        END { if (all) printf "%.1f\n", 100 * at / all }' $ran_sums
}

# ran_sockets GUEST: prints "socket 0: 97.1 %, socket 1: 2.9 %", or the same for clusters.
ran_sockets()
{
    awk -v guest="$1" -v place="$ran_place" '
        $1 == "socket" { socket[$2] = $3; if ($3 > last) last = $3 }
        $1 == "number" && $2 == guest { acct = $3 }
        $1 == "ran" && $2 == acct { all += $4; at[socket[$3]] += $4 }
        END {
            for (i = 0; all && i <= last; i++)
                printf "%s%s %d: %5.1f %%", i ? ", " : "", place, i, 100 * at[i] / all
            print all ? "" : "did not run"
        }' $ran_sums
}

# ran_load SOCKET: prints how many of its pCPUs were busy.
ran_load()
{
    awk -v wanted="$1" '
        $1 == "socket" { socket[$2] = $3 }
        $1 == "ran" && $2 != "xen" && socket[$3] == wanted { ns += $4 }
        $1 == "seconds" { printf "%.2f\n", ns / 1e9 / $2 }' $ran_sums
}

# crossings A B: prints notifications per second between the two, either way, while they were on
# different sockets, and then all of them.  The sender's place is exact: the pCPU of the row.  The
# row has no place of the receiver, which is assumed on each socket for its share of the recording.
# (So the result is exact for guests that never leave a socket.)
crossings()
{
    awk -v one="$1" -v other="$2" '
        $1 == "socket" { socket[$2] = $3 }
        $1 == "number" && $2 == one { a = $3 }
        $1 == "number" && $2 == other { b = $3 }
        $1 == "ran" { all[$2] += $4; at[$2 " " socket[$3]] += $4 }
        $1 == "sent" && ($2 == a && $3 == b || $2 == b && $3 == a) {
            sent += $5
            from[$3 " " socket[$4]] += $5
        }
        $1 == "seconds" { seconds = $2 }
        END {
            for (key in from) {
                split(key, to, " ")
                if (all[to[1]])
                    crossed += from[key] * (1 - at[key] / all[to[1]])
            }
            if (seconds)
                printf "%.1f %.1f\n", crossed / seconds, sent / seconds
        }' $ran_sums
}

# ran_at GUEST CPUS SECONDS: checks it during the next seconds.
ran_at()
{
    record_ran "$3" && ran_share "$1" "$2"
}

# percent_is LEAST GOT
percent_is()
{
    awk -v least="$1" -v got="$2" 'BEGIN {
        print "ran there for", (got == "" ? "no" : got), "%, wanted", least
        exit !(got != "" && got + 0 >= least) }'
}

# ran_for LEAST GUEST CPUS: checks it in the latest recording
ran_for()
{
    percent_is "$1" "$(ran_share "$2" "$3")"
}

# runs_at GUEST CPUS [SECONDS [PERCENT]]: checks that it really runs there, for 95 % of the next two
# seconds by default.
runs_at()
{
    percent_is "${4:-95}" "$(ran_at "$1" "$2" "${3:-2}")"
}
