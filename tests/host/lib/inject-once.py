#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# Copies a QEMU without the one instruction that makes it inject an interrupt into PVH and HVM
# domains twice.
#
#   inject-once.py QEMU COPY
#
# What Xen injects with VMRUN, QEMU's emulation (helper_vmrun()) delivers at once.  But it
# has noted the vector in the virtual CPU, as an exception that is still to come, and leaves
# it there.  If its loop is to be left before the guest exits the next time, because the
# virtual CPU's time is up, say, it does not only end: it delivers that exception, whether
# the guest has interrupts enabled or not.  Linux then waits forever for a sequence lock that
# the interrupted code holds, or runs out of stack before it has the kernel's GS.
#
# The store is found by what is around it.  Exit code: 0, 1 if that is not there once.

import re
import sys

ANY = rb".{4}"
WHAT_IT_NOTES = re.compile(
    rb"\x44\x89\xab" + ANY +                        # error_code
    rb"(?P<vector>\x89\xb3" + ANY + rb")"           # exception_index
    rb"\xc7\x83" + ANY + rb"\0{4}"                  # exception_is_int = 0
    rb"\x48\xc7\x83" + ANY + rb"\xff{4}"            # exception_next_eip = -1
    rb"\xf6\x05" + ANY + rb"\x02\x0f\x85" + ANY +   # is this to be logged?
    rb"\xba\x01\0{3}\x48\x89\xdf\xe8",              # do_interrupt_x86_hardirq(..., 1)
    re.DOTALL)
NOP = b"\x66\x0f\x1f\x44\0\0"


def main():
    with open(sys.argv[1], "rb") as file:
        qemu = file.read()
    found = list(WHAT_IT_NOTES.finditer(qemu))
    if len(found) != 1:
        return 1
    begin, end = found[0].span("vector")
    with open(sys.argv[2], "wb") as file:
        file.write(qemu[:begin] + NOP + qemu[end:])
    return 0


sys.exit(main())
