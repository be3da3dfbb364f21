#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 2 --cores 4
# time: 480
# only: full
#
# What xenschedd holds a guest at its place with.  A wish, a soft affinity, is
# enough while Xen's balancer weighs it, though the other socket has much less to
# do; where it does not, a hard affinity is, unless the guest's configuration says
# soft.  Fails if a moved guest runs elsewhere, if one is forced that may only be
# asked, if an operator's own affinity or weight is lost, or if anything is left
# when the daemon has ended, in whatever way.

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

# weight_too WHEN WEIGHT: the affinities are back, and so is the weight.
weight_too()
{
    affinities >after
    check "$1: every affinity is as before, hard and soft" cmp before after
    check "$1: so is the weight" weight_is "$2"
}

# stays_there GUEST: since it was moved, and while the other socket is emptier.
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

# A wish with weight.  An operator had given it another one.
check "Xen has the parameter" xenhypfs write $weight 7
start_daemon --mode act --affinity soft --soft-weight 50
is "the daemon starts: it may wish only" "$?" 0
check "the disk guest is moved" until_true 30 soft_is disk "$near"
check "while the daemon acts, a wish weighs as it was told" weight_is 50
stays_there disk
check "it was not forced" hard_is disk all
check "the daemon reports the soft affinity" status_is disk lever '"soft"'
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
weight_too "after SIGTERM" 7

start_daemon --mode act --affinity soft --soft-weight 50
check "another one moves the guest" until_true 30 soft_is disk "$near"
stop_daemon KILL
check "killed, it leaves the weight" weight_is 50
start_daemon --mode advise
is "the next one starts" "$?" 0
weight_too "after kill -9 and a restart" 7
stop_daemon TERM

# A wish without weight: the balancer of Xen as it is.
xenhypfs write $weight 0
start_daemon --mode act --affinity auto --soft-weight 0
check "a soft affinity without effect is reported" until_true 60 journal_has not-there disk
check "the guest is held there then" until_true 30 hard_is disk "$near"
check "the journal says so" journal_has harden disk
check "the daemon reports the hard affinity" status_is disk lever '"hard"'
stays_there disk
check "whose configuration says soft: its wish has no effect, either" \
    until_true 30 journal_has not-there gentle
check "and it is not held" hard_is gentle all
check "Xen's parameter was left alone" weight_is 0
stop_daemon TERM
is "it ends cleanly" "$stopped" 0
weight_too "after SIGTERM" 0

start_daemon --mode act --affinity auto --soft-weight 0
check "another one holds the guest" until_true 60 hard_is disk "$near"
stop_daemon KILL
check "killed, it leaves it held" hard_is disk "$near"
start_daemon --mode act --affinity auto --soft-weight 0
is "the next one starts" "$?" 0
check "and puts it back" journal_has restore disk
check "before it holds it again" until_true 60 hard_is disk "$near"

# What an operator sets stays.
xl vcpu-pin disk all 5
check "an operator can take it over" until_true 10 journal_has operator disk
stop_daemon TERM
check "the guest stays where the operator holds it" hard_is disk 5
check "and the daemon's soft affinity is restored" soft_is disk all
finish
