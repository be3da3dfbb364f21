#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --xen native --sockets 1 --cores 2
#
# A Xen without our patches says that it does not know the log facility, to
# each operation.

. /usr/lib/box/tap.sh

check "nothing is allowed" hypercall-try 0
hypercall-try 0 >answers
for name in info setup files frames events bind binding release; do
    is "$name" "$(sed -n "s/^$name //p" answers)" ENOSYS
done
finish
