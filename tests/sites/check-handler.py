#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Look at the machine code of the record handler, as it is in the hypervisor.

Usage: check-handler.py OBJECT...

The objects are those of common/schedlog/ which the handler is compiled into:
sites.o, stay.o, wait.o and record.o.  One TAP line per function: it has no LOCK prefix
(and no XCHG with memory, which implies one), no call or jump through a
function pointer, and no division, and it saves no register which a function may
change: a caller saves the registers that it needs.  Each function that writes rows has the
handler in it, so there is at least one.
"""

import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from tap import Tap  # noqa: E402  (tests/tap.py)

# Function -> how many calls through a pointer it may have, and why.
POINTERS = {
    "schedlog_evtchn_recv":
        (1, "asks the event channel's ABI whether the event is pending"),
}

# What a function has to leave as it is.
CALLEE_SAVED = {"%rbx", "%rbp", "%r12", "%r13", "%r14", "%r15"}

FUNCTION = re.compile(r"^[0-9a-f]+ <(\S+)>:$")
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(.*)$")
RELOCATION = re.compile(r"^\s*[0-9a-f]+: R_X86_64_\S+\s+(\S+)$")
# A row is appended by a function which knows how to begin another layout.
WRITES_ROWS = "schedlog_write_first_row"


def functions(path):
    """name -> lines of the disassembly, without addresses"""
    text = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", path],
                          check=True, stdout=subprocess.PIPE, text=True)
    result, lines = {}, []
    for line in text.stdout.splitlines():
        match = FUNCTION.match(line)
        if match:
            lines = result.setdefault(match.group(1), [])
            continue
        match = INSTRUCTION.match(line) or RELOCATION.match(line)
        if match:
            lines.append(match.group(1))
    return result


def is_locked(line):
    words = line.split()
    return "lock" in words or (words[0].startswith("xchg") and "(" in line)


def is_pointer(line):
    return (line.startswith("__x86_indirect_thunk") or
            re.match(r"(notrack )?(call|jmp)q?\s+\*", line) is not None)


def is_division(line):
    return re.match(r"i?div", line) is not None


def wrong_in(name, lines):
    pointers = [line for line in lines if is_pointer(line)]
    allowed, _ = POINTERS.get(name, (0, ""))
    wrong = [line for line in lines if is_locked(line) or is_division(line)]
    return wrong + pointers[allowed:]


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2

    tap = Tap()
    with_handler = 0
    for path in sys.argv[1:]:
        for name, lines in functions(path).items():
            wrong = wrong_in(name, lines)
            with_handler += any(line.startswith(WRITES_ROWS)
                                for line in lines)
            other = "other " if name in POINTERS else ""
            tap.check(not wrong, f"{name} has no LOCK, no {other}function "
                      "pointer, no division", *wrong)
            if name in POINTERS:
                print("# other than {} which {}".format(*POINTERS[name]))
            saved = {line.split()[1] for line in lines
                     if line.startswith("push ")}
            tap.check(saved <= CALLEE_SAVED, f"{name} saves no register that its "
                      "caller has to", *sorted(saved - CALLEE_SAVED))
            print(f"# {name}: {len(lines)} lines, saves {len(saved)} registers")

    tap.check(with_handler,
              f"the record handler is in {with_handler} functions")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
