#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Prove from the built hypervisor what a log site costs while it is off.

Usage: check-sites.py PATCHED/xen-syms NATIVE/xen-syms

Promises (one TAP line each, per site or per function):
  - the table of sites isn't empty, and each event of this release has a site
  - each site in the image is the architecture's NOP, in .text, in no init code
  - each site's target lies in the same function and is not the next
    instruction
  - a function with sites has, on the paths that are taken while they are off,
    one NOP per site more than the same function of the unpatched hypervisor,
    and no other instruction; a few functions, listed here, may have so many more

Both images are of x86 or both of arm64.

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

# jump_label.h: struct jump_label_site
SITE = struct.Struct("<iii")
# jump_label.h: sizeof(struct jump_label)
LABEL_SIZE = 2

# public/schedlog.h: the events which have sites of their own.  service-tsc and
# pmc0 ... pmc3 are served by the site of service-ns, preempt-delay, wait-part and
# migrate by that of wake-delay.
EVENTS = {0: "service-ns", 2: "evtchn-send", 3: "evtchn-recv",
          4: "grant-map", 5: "grant-unmap", 6: "grant-copy", 7: "memory",
          8: "runq", 9: "wake-delay", 11: "mark",
          14: "off-cpu", 15: "replenish", 20: "hypercall-time", 21: "irq-time", 22: "exit-time",
          23: "flush-wait"}

# Where the functions are which only exist because of the log facility.
FACILITY = "/common/schedlog/"

def with_operands(arch, mnemonic, words, comment, operand):
    """The mnemonic and the kind of each operand, which the patterns find"""
    text = re.sub(comment, "", " ".join(words)).strip()
    return " ".join([mnemonic] + [arch.operand_kind(found.strip())
                                  for found in re.findall(operand, text)])


class X86:
    """The notation of objdump for x86: AT&T's."""

    objdump = "objdump"
    nop = bytes([0x0F, 0x1F, 0x44, 0x00, 0x00])
    sites_in_results = r"There are (\d+) sites"
    prefixes = ("lock", "rep", "bnd", "notrack", "cs", "data16", "repz")
    ends = ("jmp", "ret", "retq", "ud2", "iretq")
    lacks = set()
    computed = None             # Xen is built without tables of addresses there

    # Functions that the compiler lays out differently for their site: with some kinds more and
    # other kinds fewer.  The number is the most instructions that they may have more in sum.
    relaid = {"a653sched_do_schedule": 0, "assign_pages": 0, "gnttab_release_mappings": 0,
              "csched_acct": 0, "evtchn_2l_set_pending": 0, "evtchn_fifo_set_pending": 0,
              "rt_schedule": 0, "pv_do_multicall_call": 0}
    inverse = {"jne": "je", "jae": "jb", "jbe": "ja", "jns": "js", "jge": "jl",
               "jle": "jg", "jno": "jo", "jnp": "jp"}

    # Registers by how much of them an instruction uses; all others are 64 bits wide.
    width = {name: width for width, names in {
        "byte": "al bl cl dl ah bh ch dh sil dil bpl spl " +
                " ".join(f"r{i}b" for i in range(8, 16)),
        "word": "ax bx cx dx si di bp sp " +
                " ".join(f"r{i}w" for i in range(8, 16)),
        "long": "eax ebx ecx edx esi edi ebp esp " +
                " ".join(f"r{i}d" for i in range(8, 16)),
    }.items() for name in names.split()}

    @classmethod
    def operand_kind(cls, operand):
        """A memory operand has its registers in ()."""
        if operand.startswith("$"):
            return "constant"
        if "(" in operand:
            return "stack" if "(%rsp" in operand else "memory"
        if operand.startswith(("%gs:", "%fs:", "0x")):
            return "memory"
        return cls.width.get(operand.lstrip("%*"), "register")

    @classmethod
    def kind_of(cls, mnemonic, words):
        if mnemonic == "xchg" and words == ["%ax,%ax"]:
            return "nop"
        if mnemonic.startswith(("j", "call", "nop", "ret", "xchg", "ud")):
            return mnemonic
        return with_operands(cls, mnemonic, words, r"<.*|#.*",
                             r"(?:[^,(]|\([^)]*\))+")

    @staticmethod
    def target_of(mnemonic, words):
        if not mnemonic.startswith("j") or not words:
            return None
        match = re.match(r"([0-9a-f]+)$", words[0])
        return int(match.group(1), 16) if match else None


class Arm64:
    """The notation of objdump for arm64."""

    objdump = "aarch64-linux-gnu-objdump"
    nop = bytes([0x1F, 0x20, 0x03, 0xD5])
    sites_in_results = r"arm64\s+has\s+(\d+)\s+sites"
    prefixes = ()
    ends = ("jmp", "ret", "br", "brk", "eret")
    lacks = {22, 23}            # exits, waits for flushes
    computed = "br"

    # As for x86.  Most of those that are more belong to copies of a function's end, of
    # which one run takes only one.
    relaid = {"evtchn_2l_set_pending": 16, "do_grant_table_op": 1,
              "gnttab_release_mappings": 6, "rt_schedule": 22,
              "sched_context_switch": 2, "__do_softirq": 14, "gic_interrupt": 3,
              "do_trap_hypercall": 1, "arch_do_multicall_call": 2,
              "vgic_inject_irq.part.0": 2}
    inverse = {"cbnz": "cbz", "tbnz": "tbz"}

    @staticmethod
    def operand_kind(operand):
        if operand.startswith("["):
            return "stack" if operand.startswith("[sp") else "memory"
        if operand.startswith(("#", "0x")):
            return "constant"
        return {"w": "long", "x": "register"}.get(operand[0], operand)

    @classmethod
    def kind_of(cls, mnemonic, words):
        """An unconditional branch has the name that it has on x86."""
        if mnemonic == "b":
            return "jmp"
        if mnemonic.startswith("b."):
            return "b.cond"     # which one depends on the order of operands as well
        if mnemonic.startswith(("b", "cb", "tb", "nop", "ret", "adr")):
            return mnemonic
        return with_operands(cls, mnemonic, words, r"<.*|//.*",
                             r"(?:[^,\[]|\[[^\]]*\])+")

    @staticmethod
    def target_of(mnemonic, words):
        if not re.match(r"b$|b\.|cbn?z|tbn?z", mnemonic):
            return None
        return next(int(word, 16) for word in reversed(words)
                    if re.match(r"[0-9a-f]+$", word))


# By e_machine of the ELF file.
ARCHES = {62: X86, 183: Arm64}


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


class Image:
    """A xen-syms file: its symbols, its bytes and its functions."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.content = file.read()
        self.arch = ARCHES[struct.unpack_from("<H", self.content, 18)[0]]
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
        text = output_of(self.arch.objdump, "-d", "--no-show-raw-insn",
                         f"--start-address={start:#x}",
                         f"--stop-address={end:#x}", self.path)
        lines = [re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
                 for line in text.splitlines()]
        lines = [(int(m.group(1), 16), m.group(2)) for m in lines if m]
        result = {}
        for i, (address, text) in enumerate(lines):
            words = [word for word in text.split()
                     if word not in self.arch.prefixes]
            mnemonic = words[0] if words else "nop"
            following = lines[i + 1][0] if i + 1 < len(lines) else end
            result[address] = (self.arch.kind_of(mnemonic, words[1:]),
                               self.arch.target_of(mnemonic, words[1:]),
                               following)
        return result


def switch_cases(arch, code, outside):
    """Where an address out of a table can lead: no instruction before it falls into it,
    no branch names it, and it is no site's call out of line"""
    if not any(kind == arch.computed for kind, _, _ in code.values()):
        return []
    named = {target for _, target, _ in code.values()} | set(outside)
    return [following for kind, _, following in code.values()
            if kind in arch.ends and following in code and following not in named
            and not code[following][0].startswith("nop")]


def reachable(arch, code, entry, outside=()):
    """The instructions that can be executed from entry on, inside of code"""
    seen, todo = set(), [entry] + switch_cases(arch, code, outside)
    while todo:
        address = todo.pop()
        while address in code and address not in seen:
            seen.add(address)
            mnemonic, target, following = code[address]
            if target is not None:
                todo.append(target)
            if mnemonic in arch.ends:
                break
            address = following
    return seen


def is_padding(code, address, sites):
    """Whether NOPs from here on, none of them a site, reach an aligned address"""
    while (address in code and code[address][0].startswith("nop")
           and address not in sites):
        address = code[address][2]
        if address % 8 == 0:
            return True
    return False


def kinds(arch, code, addresses, sites=()):
    """How many of each kind of instruction there are"""
    count = collections.Counter()
    for address in addresses:
        mnemonic = code[address][0]
        mnemonic = arch.inverse.get(mnemonic, mnemonic)
        if mnemonic.startswith("nop"):
            mnemonic = ("padding" if is_padding(code, address, sites)
                        else "nop")
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
    nop = image.arch.nop
    found = image.read(insn, len(nop))

    tap.check(found == nop, f"{what} is a {len(nop)}-byte NOP", f"is {found.hex()}")
    tap.check(text[0] <= insn < text[1], f"{what} is in .text")
    tap.check(target != insn + len(nop) and text[0] <= target < text[1],
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
    arch = patched.arch
    outside = {target for _, target, _ in sites}
    reached = reachable(arch, code, start, outside)
    # A copy that the compiler made can lie behind the call of another site.
    passed = {insn for insn, _, _ in sites} & reached
    now = kinds(arch, code, reached, passed)

    other = counterpart(native, name)
    if other is None:
        tap.check(False, f"{name} is in the unpatched hypervisor")
        return
    start, code = native.code_of(other)
    before = kinds(arch, code, reachable(arch, code, start))

    added = now - before
    tap.check(passed and added["nop"] == len(passed),
              f"{name} has {len(passed)} NOP(s) more than unpatched",
              f"it has {added['nop']} more")
    for layout in "nop", "jmp", "padding":
        del added[layout]
    allowed = arch.relaid.get(name, 0)
    if name in arch.relaid:
        added = +collections.Counter(sum=count_of(now) - count_of(before))
    tap.check(sum(added.values()) <= allowed,
              f"{name} has {f'at most {allowed}' if allowed else 'no'} "
              "other instructions more than unpatched",
              *[f"{count} x {mnemonic}" for mnemonic, count in added.items()])
    print(f"# {name}: {sum(before.values())} instructions can be reached "
          f"unpatched, {sum(now.values())} patched and off")


def sites_in_results(arch):
    top = os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))
    with open(top + "/docs/develop/results.md", encoding="utf-8") as file:
        return int(re.search(arch.sites_in_results, file.read())[1])


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2

    patched, native = Image(sys.argv[1]), Image(sys.argv[2])
    sites = read_sites(patched)
    tap = Tap()

    missing = set(EVENTS) - patched.arch.lacks - {event for _, _, event in sites}
    tap.check(sites and not missing, "each event has a site",
              *[f"none for {EVENTS[event]}" for event in missing])

    # One that the compiler copied costs as much as one that was added.
    told = sites_in_results(patched.arch)
    tap.check(len(sites) == told, f"there are {told} sites, as results.md says",
              f"there are {len(sites)}")

    functions = collections.defaultdict(list)
    for site in sites:
        check_site(tap, patched, site)
        functions[patched.function_of(site[0])[0]].append(site)
    for name, of_function in functions.items():
        check_function(tap, patched, native, name, of_function)

    print(f"# {len(sites)} sites of {len(patched.arch.nop)} bytes")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
