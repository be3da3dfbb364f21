#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The service time that is logged for a guest adds up to what Xen accounts for
# it, within 1 %.  Two guests compete for one pCPU, so that there is something
# to switch between; they are paused at both ends of the measurement, so that
# no time is under way then.
#
# time: 300

. /usr/lib/box/tap.sh


guest start computing name=one cpus=3 &
guest start computing name=two cpus=3 &
wait
one=$(xl domid one)
xl pause one
xl pause two

cat >go <<END
xl unpause one
xl unpause two
sleep 8
xl pause one
xl pause two
END
before=$(domain-time "$one")
logged=$(schedlog-count service-ns "$one" any sh ./go)
after=$(domain-time "$one")
note "$logged"

rows=$(echo "$logged" | cut -d' ' -f2)
logged=$(echo "$logged" | cut -d' ' -f4)
accounted=$((after - before))
error=$(((logged - accounted) * 10000 / accounted))
note "logged $logged ns, Xen accounts $accounted ns: off by $error / 10000"

check "there were context switches" test "$rows" -ge 10
check "the guest had the pCPU for a while" test "$accounted" -ge 500000000
check "logged is at most 1 % below what is accounted" test "$error" -ge -100
check "logged is at most 1 % above what is accounted" test "$error" -le 100
finish
