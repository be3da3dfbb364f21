#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in dom0 of a host whose FLASK policy gives no domain a right to the log, and checks that
# each operation is refused.  With the policy of the series dom0 may do all of them, and a guest
# none.  Rights are separate: a domain that may read the log cannot control it, and a domain that
# controls the log needs another right to allow marks.
#
# FLASK refuses with EACCES, Xen itself with EPERM.  FLASK does not control marks: an operator
# allows them to a domain, and FLASK controls that permission.
#
# Files next to it: the policies stock, no-mark, reader, without.

. /usr/lib/box/tap.sh

# A domain that may read vCPUs (getvcpuinfo) gets times, and one that may read TSCs
# (gettsc) gets clocks.  All of these policies allow both to dom0, so only a guest is
# refused.
hypercalls="info setup files frames events pmc owners caches binding bind allow release"

# answer NAME: one of the results of hypercall-try
answer() { sed -n "s/^$1 //p" answers; }

# Prints all operations that succeeded.
allowed() { sed -n 's/ ok$//p' answers; }

# refused ROLE NAME...: checks that these operations and marks were refused
refused()
{
    local role=$1 name

    shift
    for name; do
        is "$role is refused: $name" "$(answer "$name")" EACCES
    done
    is "$role is refused: mark" "$(answer mark)" EPERM
}

is "the policy is enforced" "$(xl getenforce)" Enforcing
hypercall-try 0 >answers
is "dom0 is refused all operations but these" "$(allowed | xargs)" "times clock"
# shellcheck disable=SC2086 # they are separate words
refused dom0 $hypercalls

check "dom0 loads the policy of the series" xl loadpolicy stock
hypercall-try 0 >answers
for name in $hypercalls times clock mark map map-writable; do
    case $name in
    pmc) is "dom0 may: pmc, but there is no PMU" "$(answer pmc)" ENODEV ;;
    *)   is "dom0 may: $name" "$(answer "$name")" ok ;;
    esac
done

check "dom0 makes a log" schedlog-area setup 8 4096
frame=$(schedlog-area frames 0 | head -n 1)
guest start idle name=intruder run='hypercall-try $(told domid) $(told frame)'
guest tell intruder frame "$frame"
guest tell intruder domid "$(xl domid intruder)"
is "the guest is of the usual type" \
    "$(xl list -Z intruder | sed -n 's/.* //;$p')" system_u:system_r:domU_t
check "a guest is refused all operations" guest wait intruder 60
guest output intruder | while read -r name answer; do
    echo "$name $answer"
done >answers
# shellcheck disable=SC2086
refused "a guest" $hypercalls times clock map map-writable

check "dom0 loads the policy of a reader" xl loadpolicy reader
hypercall-try 0 >answers
for name in info files frames caches; do
    is "a reader may: $name" "$(answer $name)" ok
done
# The reader can map the frames whose numbers it has read.
is "a reader may: map" "$(answer map)" ok
refused "a reader" setup events pmc owners binding bind allow release

check "dom0 loads the policy without marks" xl loadpolicy no-mark
check "dom0 gives the log up" schedlog-area release
hypercall-try 0 >answers
for name in info setup files frames events owners caches binding bind release; do
    is "without marks dom0 may: $name" "$(answer $name)" ok
done
refused "without marks dom0" allow

check "dom0 loads the policy without rights" xl loadpolicy without
hypercall-try 0 >answers
is "dom0 is refused all operations again" "$(allowed | xargs)" "times clock"
finish
