# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads sections, symbols and relocations of a 64-bit object file, for x86-64 or a GPU."""

import bisect
import collections
import dataclasses
import functools
import pathlib
import struct

OBJECT, FUNCTION, THREAD = 1, 2, 6  # kinds of symbols
PC32 = 2
ABSOLUTE = {1, 10, 11}  # R_X86_64_64, _32 and _32S; the others are relative to their position


def is_absolute(kind):
    return kind in ABSOLUTE


@dataclasses.dataclass(frozen=True)
class Symbol:
    name: str
    kind: int
    section: int  # 0 if another object defines it
    value: int
    size: int


@dataclasses.dataclass(frozen=True)
class Section:
    index: int
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    entry_size: int

    def is_code(self):
        return self.kind == 1 and self.flags & 4 and self.size

    def is_strings(self):
        return self.flags & 0x20

    def is_writable(self):
        return self.flags & 1 and not self.name.startswith(".data.rel.ro")


def text(table, at):
    return table[at:table.index(b"\0", at)].decode()


class Elf:
    def __init__(self, path):
        self.bytes = pathlib.Path(path).read_bytes()
        start, = struct.unpack_from("<Q", self.bytes, 40)
        count, names = struct.unpack_from("<HH", self.bytes, 60)
        rows = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, start + 64 * at)
                for at in range(count)]
        table = self.bytes[rows[names][4]:rows[names][4] + rows[names][5]]
        self.sections = [Section(at, text(table, row[0]), row[1], row[2], *row[4:8], row[9])
                         for at, row in enumerate(rows)]
        self.symbols = []
        # section: [(offset, kind, symbol, addend)]
        self.relocations = collections.defaultdict(list)
        for section in self.sections:
            if section.kind == 2:
                self.symbols = list(self._symbols(section))
        for section in self.sections:
            if section.kind in (4, 9):
                row = "<QIIq" if section.kind == 4 else "<QII"
                for offset, kind, symbol, *addend in struct.iter_unpack(row, self.content(section)):
                    self.relocations[section.info].append(
                        (offset, kind, self.symbols[symbol], *(addend or [0])))
        for rows in self.relocations.values():
            rows.sort(key=lambda row: row[0])

    def _symbols(self, section):
        names = self.content(self.sections[section.link])
        for name, info, _, where, value, size in struct.iter_unpack("<IBBHQQ",
                                                                    self.content(section)):
            where = where if where < len(self.sections) else 0
            label = text(names, name) if name else self.sections[where].name
            yield Symbol(label, info & 15, where, value, size)

    def content(self, section):
        if section.kind == 8:
            return b""
        return self.bytes[section.offset:section.offset + section.size]

    @functools.cached_property
    def _objects(self):
        found = collections.defaultdict(list)
        for symbol in self.symbols:
            if symbol.kind == OBJECT and symbol.size:
                found[symbol.section].append((symbol.value, symbol.value + symbol.size))
        return {section: sorted(rows) for section, rows in found.items()}

    @functools.cached_property
    def _targets(self):
        """Returns where something without a symbol may begin, by section: the targets of
        relocations."""
        found = collections.defaultdict(set)
        for section, rows in self.relocations.items():
            for _, kind, symbol, addend in rows:
                if symbol.section and symbol.section != section:
                    shift = 0 if is_absolute(kind) else 4
                    found[symbol.section].add(symbol.value + addend + shift)
        for section, rows in self._objects.items():
            found[section].update(start for start, _ in rows)
        return {section: sorted(starts) for section, starts in found.items()}

    def extent(self, section, offset):
        """Returns [start, end) of the variable at an offset, or of the bytes to the next symbol."""
        rows = self._objects.get(section.index, [])
        at = bisect.bisect_right(rows, (offset, float("inf"))) - 1
        if at >= 0 and offset < rows[at][1]:
            return rows[at]
        starts = self._targets.get(section.index, [])
        after = bisect.bisect_right(starts, offset)
        return offset, starts[after] if after < len(starts) else section.size
