#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4
# time: 480
# only: full
#
# How xenschedd keeps a guest at its target.  A soft affinity is enough while Xen's balancer weighs
# it, though the other socket has much less load; otherwise the daemon sets a hard affinity, unless
# the guest's configuration says soft.  Fails if a moved guest runs elsewhere, if a guest is
# confined whose configuration forbids that, if an operator's affinity or weight is lost, or if
# anything is left when the daemon has ended, in any way.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
near=${near:?} # dom0's pCPUs
stopped=

weight=/cpupool/0/credit2-soft-weight

# Seconds within which a move has an effect, in an emulated host.
soon=5

weight_is()
{
    equal "$(xenhypfs cat $weight)" "$1"
}

# weight_too WHEN WEIGHT: checks that affinities and weight are restored.
weight_too()
{
    affinities >after
    check "$1: every affinity is as before, hard and soft" cmp before after
    check "$1: so is the weight" weight_is "$2"
}

# stays_there GUEST: checks that it stays after its move, while the other socket has less load.
stays_there()
{
    sleep $soon
    record_ran 10
    check "$1: so it runs there, for 10 s" ran_for 95 "$1" "$near"
    check "though the other socket has less to do" \
        less "$(ran_load 1)" "$(ran_load 0)"
}

less()
{
    echo "got $1 and $2 busy pCPUs"
    awk -v one="$1" -v other="$2" 'BEGIN { exit !(one + 0 < other + 0) }'
}

guest start disk &
guest start disk name=gentle "xl=vm_affinity = 'soft'" &
wait
affinities >before

# A soft affinity with weight.  The operator's weight was another one.
check "Xen has the parameter" xenhypfs write $weight 7
start_daemon --mode act --affinity soft --soft-weight 50
is "the daemon starts, with soft affinity only" "$?" 0
check "the disk guest is moved" until_true 30 soft_is disk "$near"
check "while the daemon acts, a soft affinity has the configured weight" weight_is 50
stays_there disk
check "it has no hard affinity" hard_is disk all
check "the daemon reports the soft affinity" status_is disk lever '"soft"'
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
weight_too "after SIGTERM" 7

start_daemon --mode act --affinity soft --soft-weight 50
check "another daemon moves the guest" until_true 30 soft_is disk "$near"
stop_daemon KILL
check "when the daemon is killed, the weight stays" weight_is 50
start_daemon --mode advise
is "the next daemon starts" "$?" 0
weight_too "after kill -9 and a restart" 7
stop_daemon TERM

# A soft affinity without weight: Xen's balancer without a parameter.
xenhypfs write $weight 0
start_daemon --mode act --affinity auto --soft-weight 0
check "a soft affinity without effect is reported" until_true 60 journal_has not-there disk
check "then the guest gets a hard affinity" until_true 30 hard_is disk "$near"
check "the journal says so" journal_has harden disk
check "the daemon reports the hard affinity" status_is disk lever '"hard"'
stays_there disk
check "the soft affinity of a guest with soft in its configuration has no effect either" \
    until_true 30 journal_has not-there gentle
check "and it gets no hard affinity" hard_is gentle all
check "Xen's parameter is unchanged" weight_is 0
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
weight_too "after SIGTERM" 0

start_daemon --mode act --affinity auto --soft-weight 0
check "another daemon confines the guest" until_true 60 hard_is disk "$near"
stop_daemon KILL
check "when the daemon is killed, the hard affinity stays" hard_is disk "$near"
start_daemon --mode act --affinity auto --soft-weight 0
is "the next daemon starts" "$?" 0
check "and restores the affinity" journal_has restore disk
check "before it confines the guest again" until_true 60 hard_is disk "$near"

# What an operator sets stays.
xl vcpu-pin disk all 5
check "an operator can take it over" until_true 10 journal_has operator disk
stop_daemon TERM
check "the guest stays where the operator bound it" hard_is disk 5
check "and the daemon's soft affinity is restored" soft_is disk all
finish
