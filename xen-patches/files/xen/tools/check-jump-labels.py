#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Usage: check-jump-labels.py xen-syms

Each site of a jump label has to be the NOP which the table says it is (see
xen/jump_label.h), in .text.  A table or a site which isn't what it should be
would be patched all the same at run time.
"""

import struct
import sys

# By e_machine of the ELF file.
NOPS = {
    62: bytes((0x0f, 0x1f, 0x44, 0x00, 0x00)),  # EM_X86_64
    183: bytes((0x1f, 0x20, 0x03, 0xd5)),       # EM_AARCH64
}
SITE = struct.Struct('<iii')


class Image:
    """What is needed of a 64-bit little-endian ELF file."""

    def __init__(self, data):
        self.data = data
        if data[:6] != b'\x7fELF\x02\x01':
            sys.exit('not a 64-bit ELF file')
        self.machine, = struct.unpack_from('<H', data, 0x12)
        offset, = struct.unpack_from('<Q', data, 0x28)
        size, nr, names = struct.unpack_from('<HHH', data, 0x3a)
        self.sections = [struct.unpack_from('<IIQQQQII', data,
                                            offset + i * size)
                         for i in range(nr)]
        self.names = self.sections[names][4]

    def string(self, offset):
        return self.data[offset:self.data.index(b'\0', offset)].decode()

    def symbols(self):
        for section in self.sections:
            if section[1] != 2:         # SHT_SYMTAB
                continue
            strings = self.sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], 24):
                name, _, _, _, value = struct.unpack_from('<IBBHQ', self.data,
                                                          at)
                yield self.string(strings + name), value

    def read(self, address, size, only=None):
        """Bytes at an address; None if they are not there."""
        for name, kind, _, start, offset, length, _, _ in self.sections:
            if kind == 1 and start <= address <= start + length - size and \
               only in (None, self.string(self.names + name)):
                at = offset + address - start
                return self.data[at:at + size]
        return None


def check(image):
    symbols = dict(s for s in image.symbols() if 'jump_labels' in s[0])
    begin = symbols['__start_jump_labels']
    end = symbols['__stop_jump_labels']
    nop = NOPS[image.machine]

    if (end - begin) % SITE.size:
        return ['the table has %d bytes' % (end - begin)]

    bad = []
    for at in range(begin, end, SITE.size):
        insn, target, _ = SITE.unpack(image.read(at, SITE.size))
        insn += at
        target += at + 4
        if image.read(insn, len(nop), '.text') != nop:
            bad.append('site %#x is not a NOP in .text' % insn)
        if image.read(target, 1, '.text') is None:
            bad.append('site %#x jumps to %#x, which is not in .text' %
                       (insn, target))
    return bad


def main():
    with open(sys.argv[1], 'rb') as f:
        bad = check(Image(f.read()))

    for line in bad:
        print('%s: jump labels: %s' % (sys.argv[1], line), file=sys.stderr)
    sys.exit(bool(bad))


main()
