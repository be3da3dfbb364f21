#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Prove from the built hypervisor what a log site costs while it is off.

Usage: check-sites.py PATCHED/xen-syms NATIVE/xen-syms

Promises (one TAP line each, per site or per function):
  - the table of sites isn't empty, and each event of this release has a site
  - each site in the image is the 5-byte NOP, in .text, in no init code
  - each site's target lies in the same function and is not the next
    instruction
  - a function with sites has, on the paths that are taken while they are off,
    one NOP per site more than the same function of the unpatched hypervisor,
    and no other instruction

Functions of the log facility itself have sites as well, but no counterpart in
the unpatched hypervisor, so they aren't compared.

The last promise compares what can be reached from the function's entry, with
the sites as the NOPs that they are, with what can be reached in the unpatched
function.  The compiler may lay the blocks out in another order, which inverts
conditional jumps and makes unconditional ones and the padding before aligned
jump targets come and go; no other kind of instruction may be there more often
than in the unpatched function.  A kind is the mnemonic and what its operands
are: registers by their width, the stack, other memory, constants.  So a value
that a site makes the compiler keep on the stack is seen, even if nothing but
operands has changed.  Which register it is, and which offset, may differ.  Of the
functions in ANEW only the sum is compared.
"""

import collections
import os
import pathlib
import re
import struct
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from tap import Tap  # noqa: E402  (tests/tap.py)

NOP5 = bytes([0x0F, 0x1F, 0x44, 0x00, 0x00])

# jump_label.h: struct jump_label_site
SITE = struct.Struct("<iii")
# jump_label.h: sizeof(struct jump_label)
LABEL_SIZE = 2

# public/schedlog.h: the events which have sites of their own.  service-tsc and
# pmc0 ... pmc3 are served by the site of service-ns, preempt-delay and wait-part by
# that of wake-delay.
EVENTS = {0: "service-ns", 2: "evtchn-send", 3: "evtchn-recv",
          4: "grant-map", 5: "grant-unmap", 6: "grant-copy", 7: "memory",
          8: "runq", 9: "wake-delay", 10: "migrate", 11: "mark",
          14: "off-cpu"}

# Functions that the compiler lays out anew for their site: with some kinds more and
# other kinds fewer.  All that is promised of them is that there are not more in sum.
ANEW = {"assign_pages", "gnttab_release_mappings", "csched_acct",
        "evtchn_2l_set_pending", "evtchn_fifo_set_pending", "rt_schedule"}

# Where the functions are which only exist because of the log facility.
FACILITY = "/common/schedlog/"

INVERSE = {"jne": "je", "jae": "jb", "jbe": "ja", "jns": "js", "jge": "jl",
           "jle": "jg", "jno": "jo", "jnp": "jp"}

# Registers by how much of them an instruction uses; all others are 64 bits wide.
WIDTH = {name: width for width, names in {
    "byte": "al bl cl dl ah bh ch dh sil dil bpl spl " +
            " ".join(f"r{i}b" for i in range(8, 16)),
    "word": "ax bx cx dx si di bp sp " +
            " ".join(f"r{i}w" for i in range(8, 16)),
    "long": "eax ebx ecx edx esi edi ebp esp " +
            " ".join(f"r{i}d" for i in range(8, 16)),
}.items() for name in names.split()}


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def operand_kind(operand):
    """In AT&T's notation, where a memory operand has its registers in ()."""
    if operand.startswith("$"):
        return "constant"
    if "(" in operand:
        return "stack" if "(%rsp" in operand else "memory"
    if operand.startswith(("%gs:", "%fs:", "0x")):
        return "memory"
    return WIDTH.get(operand.lstrip("%*"), "register")


def kind_of(mnemonic, words):
    """The mnemonic; with its operands, unless these say where code lies."""
    if mnemonic == "xchg" and words == ["%ax,%ax"]:
        return "nop"
    if mnemonic.startswith(("j", "call", "nop", "ret", "xchg", "ud")):
        return mnemonic
    text = re.sub(r"<.*|#.*", "", " ".join(words)).strip()
    operands = re.findall(r"(?:[^,(]|\([^)]*\))+", text)
    return " ".join([mnemonic] + [operand_kind(o.strip()) for o in operands])


class Image:
    """A xen-syms file: its symbols, its bytes and its functions."""

    def __init__(self, path):
        self.path = path
        self.symbols = {}
        self.functions = []
        for line in output_of("nm", "-n", path).splitlines():
            fields = line.split()
            if len(fields) != 3:
                continue
            address, kind, name = int(fields[0], 16), fields[1], fields[2]
            self.symbols.setdefault(name, address)
            if kind in "tT":
                self.functions.append((address, name))
        self.sections = []
        for line in output_of("readelf", "-SW", path).splitlines():
            match = re.match(r"\s*\[\s*\d+\] (\S+)\s+PROGBITS\s+"
                             r"(\w+) (\w+) (\w+)", line)
            if match:
                name, address, offset, size = match.groups()
                self.sections.append((name, int(address, 16),
                                      int(offset, 16), int(size, 16)))
        with open(path, "rb") as file:
            self.content = file.read()

    def read(self, address, size):
        for _, start, offset, length in self.sections:
            if start <= address and address + size <= start + length:
                at = offset + address - start
                return self.content[at:at + size]
        raise ValueError(f"{self.path}: nothing at {address:#x}")

    def function_of(self, address):
        """(name, start, end) of the function that address lies in"""
        start, name = max(f for f in self.functions if f[0] <= address)
        ends = [f[0] for f in self.functions if f[0] > start]
        return name, start, min(ends)

    def code_of(self, name):
        """Entry and instructions of a function, with its unlikely part"""
        entry, code = None, {}
        for part in name, f"{name}.cold":
            for address, _ in (f for f in self.functions if f[1] == part):
                _, start, end = self.function_of(address)
                entry = entry or start
                code.update(self.disassemble(start, end))
                break
        return entry, code

    def source_of(self, address):
        """The file which the code at address was compiled from"""
        line = output_of("addr2line", "-e", self.path, f"{address:#x}")
        return line.rsplit(":", 1)[0]

    def disassemble(self, start, end):
        """address -> (kind, target or None, next address)"""
        text = output_of("objdump", "-d", "--no-show-raw-insn",
                         f"--start-address={start:#x}",
                         f"--stop-address={end:#x}", self.path)
        lines = [re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
                 for line in text.splitlines()]
        lines = [(int(m.group(1), 16), m.group(2)) for m in lines if m]
        result = {}
        for i, (address, text) in enumerate(lines):
            words = [word for word in text.split()
                     if word not in ("lock", "rep", "bnd", "notrack", "cs",
                                     "data16", "repz")]
            mnemonic = words[0] if words else "nop"
            target = None
            if mnemonic.startswith("j") and len(words) > 1:
                match = re.match(r"([0-9a-f]+)$", words[1])
                target = int(match.group(1), 16) if match else None
            following = lines[i + 1][0] if i + 1 < len(lines) else end
            result[address] = (kind_of(mnemonic, words[1:]), target, following)
        return result


def reachable(code, entry):
    """The instructions that can be executed from entry on, inside of code"""
    seen, todo = set(), [entry]
    while todo:
        address = todo.pop()
        while address in code and address not in seen:
            seen.add(address)
            mnemonic, target, following = code[address]
            if target is not None:
                todo.append(target)
            if mnemonic in ("jmp", "ret", "retq", "ud2", "iretq"):
                break
            address = following
    return seen


def kinds(code, addresses, sites=()):
    """How many of each kind of instruction there are"""
    count = collections.Counter()
    for address in addresses:
        mnemonic, _, following = code[address]
        mnemonic = INVERSE.get(mnemonic, mnemonic)
        if mnemonic.startswith("nop"):
            aligns = address not in sites and following % 8 == 0
            mnemonic = "padding" if aligns else "nop"
        count[mnemonic] += 1
    return count


def count_of(of_kinds):
    """All but what depends on where code lies"""
    return sum(count for kind, count in of_kinds.items()
               if kind not in ("nop", "jmp", "padding"))


def read_sites(image):
    """[(address of the instruction, target, event)]"""
    if "schedlog_label" not in image.symbols:
        sys.exit(f"{image.path}: no log facility: built without "
                 "CONFIG_SCHEDLOG=y?")
    at = image.symbols["__start_jump_labels"]
    end = image.symbols["__stop_jump_labels"]
    labels = image.symbols["schedlog_label"]
    sites = []
    while at < end:
        insn, target, label = SITE.unpack(image.read(at, SITE.size))
        sites.append((at + insn, at + 4 + target,
                      (at + 8 + label - labels) // LABEL_SIZE))
        at += SITE.size
    return sites


def check_site(tap, image, site):
    insn, target, event = site
    name, start, end = image.function_of(insn)
    what = f"{EVENTS.get(event, event)} in {name}+{insn - start:#x}"
    text = (image.symbols["_stext"], image.symbols["_etext"])
    found = image.read(insn, len(NOP5))

    tap.check(found == NOP5, f"{what} is a 5-byte NOP", f"is {found.hex()}")
    tap.check(text[0] <= insn < text[1], f"{what} is in .text")
    tap.check(target != insn + len(NOP5) and text[0] <= target < text[1],
              f"{what} has its call out of line")


def counterpart(native, name):
    """The unpatched function.  Compilers number their clones."""
    base = name.split(".")[0]
    names = [other for _, other in native.functions
             if other.split(".")[0] == base and ".cold" not in other]
    return name if name in names else (names or [None])[0]


def check_function(tap, patched, native, name, sites):
    start, code = patched.code_of(name)
    if FACILITY in patched.source_of(start):
        print(f"# {name}: a part of the log facility")
        return
    now = kinds(code, reachable(code, start), {insn for insn, _, _ in sites})

    other = counterpart(native, name)
    if other is None:
        tap.check(False, f"{name} is in the unpatched hypervisor")
        return
    start, code = native.code_of(other)
    before = kinds(code, reachable(code, start))

    added = now - before
    tap.check(added["nop"] == len(sites),
              f"{name} has {len(sites)} NOP(s) more than unpatched",
              f"it has {added['nop']} more")
    for layout in "nop", "jmp", "padding":
        del added[layout]
    if name in ANEW:
        added = +collections.Counter(sum=count_of(now) - count_of(before))
    tap.check(not added,
              f"{name} has no other instruction more than unpatched",
              *[f"{count} x {mnemonic}" for mnemonic, count in added.items()])
    print(f"# {name}: {sum(before.values())} instructions can be reached "
          f"unpatched, {sum(now.values())} patched and off")


def sites_in_results():
    top = os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))
    with open(top + "/docs/develop/results.md", encoding="utf-8") as file:
        return int(re.search(r"There are (\d+) sites", file.read())[1])


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2

    patched, native = Image(sys.argv[1]), Image(sys.argv[2])
    sites = read_sites(patched)
    tap = Tap()

    missing = set(EVENTS) - {event for _, _, event in sites}
    tap.check(sites and not missing, "each event has a site",
              *[f"none for {EVENTS[event]}" for event in missing])

    # One that the compiler copied costs as much as one that somebody added.
    told = sites_in_results()
    tap.check(len(sites) == told, f"there are {told} sites, as results.md says",
              f"there are {len(sites)}")

    functions = collections.defaultdict(list)
    for site in sites:
        check_site(tap, patched, site)
        functions[patched.function_of(site[0])[0]].append(site)
    for name, of_function in functions.items():
        check_function(tap, patched, native, name, of_function)

    print(f"# {len(sites)} sites of {len(NOP5)} bytes")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
