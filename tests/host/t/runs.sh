#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# box: --sockets 2 --cores 2
# time: 480
# only: full
#
# xensched runs on a real Xen: a guest's workload runs where the plan places the guest, as the log
# proves; compare prints that from its recording; and affinities are restored, also after Ctrl-C and
# after kill -9. Fails if a guest ran elsewhere, if rows are lost without a message, or if anything
# is left.
. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs, of socket 0
# shellcheck disable=SC2034 # for start_daemon
daemon_settings="--log service-ns,wake-delay,evtchn-send,evtchn-recv,migrate"
db=/run/runs.sqlite

# The guest executes the first one.
cat >/run/plan <<END
repetitions = 6
workload.read.run = "obey web 'dd if=/dev/xvda of=/dev/null bs=4k count=50 iflag=direct'"
configuration.near.place = "web=0-1"
configuration.near.log = "all"
configuration.far.place = [ "web=2-3" ]
configuration.far.log = "all"
END
cat >/run/plan.long <<END
repetitions = 1
workload.sleep.run = "touch /run/begun; sleep 987"
configuration.far.place = "web=2-3"
END
cat >/run/plan.off <<END
repetitions = 1
workload.none.run = "true"
configuration.off.log = "off"
END
cat >/run/plan.wrong <<END
repetitions = 1
workload.none.run = "true"
configuration.where.place = [ "web=0", "nobody=1" ]
END

runs()
{
    xensched runs --database $db "$@"
}

# ran_on CONFIGURATION: prints the pCPUs on which web ran in it, according to compare.
ran_on()
{
    sed -n "s/^read, web ran on, in $1: //p" /run/compared |
        tr , '\n' | sed 's/.*pCPU \([0-9]*\):.*/\1/' | sort | tr '\n' ' '
}

# only_on OTHERS PCPUS: checks that there is a pCPU, and each of PCPUS is one of OTHERS.
only_on()
{
    echo "it ran on: $2"
    [ -n "$2" ] && for pcpu in $2; do
        case " $1 " in *" $pcpu "*) ;; *) return 1 ;; esac
    done
}

# begin_long: starts a run, and returns when its guest is placed; sets $doing.  (check would wait
# for the run's end.)
begin_long()
{
    rm -f /run/begun
    xensched runs --database $db "do" /run/plan.long >/run/said 2>&1 &
    doing=$!
    until_true 30 test -e /run/begun
}

guest start obedient name=web disk=16
affinities >before
start_daemon --mode observe
check "the daemon runs" xensched status
check "the plan is done" runs "do" /run/plan
affinities >after
check "all affinities are as before" cmp before after
check "nothing is left to restore" test ! -e /var/lib/xensched/runs.state
runs compare near far >/run/compared || [ $? = 4 ] # 4: far is slower
sed 's/^/# /' /run/compared
runs stat | grep '^!' | sed 's/^/# /'
check "near: the guest ran on pCPUs 0 and 1 only, according to the log" \
    only_on "0 1" "$(ran_on near)"
check "far: it ran on pCPUs 2 and 3 only" only_on "2 3" "$(ran_on far)"
check "there is a verdict about the times" grep -q '^read, wall time: .*95 % interval' \
    /run/compared
recorded=$(runs show "$(runs list 1 | awk '$3 == "near" && $4 == 1 { print $1 }')" |
    sed -n 's/^recording: //p')
check "the first repetition's recording is kept, and has web" \
    sh -c "xensched timeline $recorded | grep -q web"
is "only recordings of first repetitions are kept" "$(ls $db-recordings | wc -l)" 2
check "while events are on, a run that wants them off fails" \
    sh -c "xensched runs --database $db do /run/plan.off 2>&1 | grep 'events are on'"
check "an unknown guest is named" \
    sh -c "xensched runs --database $db do /run/plan.wrong 2>&1 | grep \"'nobody'\""
affinities >after
check "and then no guest was moved" cmp before after

begin_long
check "its guest is placed" hard_is web 2-3
kill -INT "$doing"
wait "$doing" 2>/dev/null
is "Ctrl-C ends it with a failure" $? 1
affinities >after
check "after Ctrl-C all affinities are as before" cmp before after

begin_long
check "after kill -9 the guest stays where it was placed" hard_is web 2-3
kill -KILL "$doing"
wait "$doing" 2>/dev/null
check "the workload of the killed program has ended" until_true 10 sh -c '! ps | grep -q "[s]leep 987"'
runs "do" /run/plan.off 2>/run/said
check "the next one reports the affinity that was left" grep -q 'got the original affinity back' /run/said
affinities >after
check "and restores it" cmp before after
stop_daemon TERM
check "when no event is on, that run succeeds" runs "do" /run/plan.off
finish
