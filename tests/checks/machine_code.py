#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves that a change which only moves and renames things leaves the machine code unchanged.

    tests/checks/machine_code.py record BUILD_DIR BEFORE.json   (then, after the change, AFTER.json)
    tests/checks/machine_code.py compare BEFORE.json AFTER.json [--only 'tandem_(cuda|openmp)']

`record` hashes each kernel and each function of a build's objects without their names:
- kernels: the instructions' bytes, registers, stack, shared memory, launch bounds, parameters and
  literals in the cubins that `cuobjdump` extracts; it does not disassemble them, so any release
  of it works;
- functions: the instructions as objdump prints them, without addresses and alignment no-ops; a
  branch counts as the number of its target instruction, a literal or constant table as its content.
  A callee counts as its hash if the build has it and otherwise by name (memcpy), so a call of
  something else shows.
`compare` counts a hash as many times as it has different names in the build: neither the object nor
the number of copies matters. It exits with 1 if a kernel or a function differs. Strings and device
variables may change with names (__FILE__, messages), and nvcc's registration of an object's kernels
with their number: these are listed but do not fail. Not compared: PTX, exception tables, the values
of writable variables.
"""

import argparse
import bisect
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import elf_object

OF_FILE = re.compile(r"[0-9a-f]{8}_\d+_\w+?_(?:cu|cpp|cc)_[0-9a-f]{8}")  # nvcc's id of a file
REGISTERS = re.compile(r"__sti____cuda|__nv_cudaEntityRegister|__cudaUnregister|_GLOBAL__sub_")
# Functions of the standard library, by name: whether a test instantiates or replaces them is
# irrelevant.
STANDARD = re.compile(r"_Z(?:(?:N[VK]*|T[ISTV]N?)?S[tabsiod]|[nd][wal])")
INSTRUCTION = re.compile(r"\s*([0-9a-f]+):\t([^#<]*?)\s*(?:<.*?>)?\s*(?:# ([0-9a-f]+) .*)?$")
BRANCH = re.compile(r"((?:bnd |notrack )?(?:j|call|loop|xbegin)\S*)\s+([0-9a-f]+)$")
NO_OP = re.compile(r"(?:data16 |cs )*nop[wl]?\b|xchg +%ax,%ax$")
# Attributes in .nv.info that do not depend on symbol counts: bounds on threads, registers and
# clusters, the parameters.
ATTRIBUTES = {0x05, 0x10, 0x17, 0x19, 0x1B, 0x3D, 0x3E}
RESOURCES = {0x11, 0x12, 0x2F}  # and of all kernels, by symbol: frame, stack, registers


def digest(*parts):
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:20]


def plain(name):
    """Returns a name without the part that nvcc adds for its file."""
    name = re.sub(r"\d+_GLOBAL__N__" + OF_FILE.pattern, "12_GLOBAL__N_1", name)
    return OF_FILE.sub("FILE", name)


def attributes(content):
    """Yields (kind, value, content) of each record of a cubin's .nv.info."""
    at = 0
    while at + 4 <= len(content):
        form, kind, value = struct.unpack_from("<BBH", content, at)
        length = value if form == 4 else 0
        yield kind, value, content[at + 4:at + 4 + length]
        at += 4 + length


def resources(elf, name, infos):
    """Returns properties that may change while the instructions do not: bounds, parameters,
    registers, stack."""
    found = [(kind, value, content.hex()) for kind, value, content in attributes(infos[1])
             if kind in ATTRIBUTES]
    for kind, _, content in attributes(infos[0]):
        if kind in RESOURCES:
            symbol, value = struct.unpack("<II", content)
            if elf.symbols[symbol].name == name:
                found.append((kind, value))
    return sorted(found)


def cubin_kernels(cubin, architecture):
    """Returns [name, hash, hash, instructions, bytes] of a cubin's kernels, and its variables'
    hashes."""
    rows, data = [], []
    elf = elf_object.Elf(cubin)
    named = {section.name: section for section in elf.sections}
    for section in elf.sections:
        if re.match(r"\.nv\.(global\.init|constant[13])\b", section.name):
            data.append(f"{section.name} {digest(elf.content(section).hex())}")
        if not section.name.startswith(".text."):
            continue
        name = section.name[len(".text."):]
        parts = [architecture, elf.content(section).hex()]
        for kind in (".nv.shared.", ".nv.constant0."):
            parts.append(named[kind + name].size if kind + name in named else 0)
        infos, literals = [".nv.info", ".nv.info." + name], ".nv.constant2." + name
        infos = [elf.content(named[one]) if one in named else b"" for one in infos]
        parts.append(resources(elf, name, infos))
        parts.append(elf.content(named[literals]).hex() if literals in named else "")
        for offset, kind, symbol, addend in elf.relocations[section.index]:
            where = symbol.section and elf.sections[symbol.section]
            token = symbol.name if not where else re.match(r"\.\w+(\.\w+)?", where.name)[0]
            if where and where.name.startswith(".text."):
                token = digest(elf.content(where).hex())
            parts.append((offset, kind, token, addend))
        row = digest(*parts)
        rows.append([plain(name), row, row, section.size // 16, section.size])
    return rows, data


def kernels(cuobjdump, path):
    """Returns the results of cubin_kernels for all cubins in an object."""
    rows, data = [], []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([cuobjdump, "--extract-elf", "all", path.resolve()], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        for cubin in sorted(pathlib.Path(folder).iterdir()):
            more_rows, more_data = cubin_kernels(cubin, re.search(r"sm_\w+", cubin.name)[0])
            rows, data = rows + more_rows, data + more_data
    return rows, data


class Functions:
    """The functions of one object."""

    def __init__(self, path):
        self.elf = elf_object.Elf(path)
        self.code = collections.defaultdict(dict)  # section: {start: symbol}
        for symbol in self.elf.symbols:
            if symbol.kind == elf_object.FUNCTION and symbol.section and symbol.size:
                self.code[symbol.section].setdefault(symbol.value, symbol)
        self.starts = {section: sorted(found) for section, found in self.code.items()}
        # (section, start): [(address, text, target)]
        self.lines = {key: [] for key in self.every()}
        listing = subprocess.run(["objdump", "-d", "-w", "--no-show-raw-insn", path], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        sections = iter(section for section in self.elf.sections if section.is_code())
        for line in listing.splitlines():
            if line.startswith("Disassembly of section "):
                section = next(sections)
                assert line == f"Disassembly of section {section.name}:", line
            elif match := INSTRUCTION.match(line):
                address = int(match[1], 16)
                if (key := self.function_at(section.index, address)) in self.lines:
                    self.lines[key].append((address, match[2], match[3] and int(match[3], 16)))
        self.steps = {key: [address for address, text, _ in lines if not NO_OP.match(text)]
                      for key, lines in self.lines.items()}
        self.bodies = {key: self.body(key) for key in self.every()}

    def every(self):
        return [(section, start) for section, found in self.code.items() for start in found]

    def function_at(self, section, address):
        starts = self.starts.get(section, [])
        at = bisect.bisect_right(starts, address) - 1
        if at < 0 or address >= starts[at] + self.code[section][starts[at]].size:
            return None
        return section, starts[at]

    def place(self, own, section, address):
        """Returns (what replaces it in the instructions, [functions and others' symbols]) for an
        address."""
        key = self.function_at(section, address)
        step = bisect.bisect_left(self.steps[key], address) if key else "?"
        return (f"own {step}", []) if key == own else (f"function {step}", [key] if key else [])

    def target(self, own, symbol, addend, depth=0):
        """Returns (what replaces it in the instructions, [symbols]) for a relocation's target."""
        if not symbol.section:
            return "function 0", [symbol.name]
        section, offset = self.elf.sections[symbol.section], symbol.value + addend
        if section.is_code():
            return self.place(own, section.index, offset)
        if re.match(r"_ZT[IS]", symbol.name) or re.match(r"\.(data\.rel\.ro|rodata)\._ZT[IS]",
                                                         section.name):
            return "type", []
        if section.is_strings():
            return "string", []
        if section.is_writable() or depth > 1:
            return "variable", []
        if section.entry_size:  # literals, which the linker merges
            start = offset - offset % section.entry_size
            return self.elf.content(section)[start:start + section.entry_size].hex(), []
        start, end = self.elf.extent(section, offset)
        content, words, references = self.elf.content(section)[start:end], [], []
        for at, kind, other, extra in self.elf.relocations[section.index]:
            if start <= at < end:
                relative = at - start if kind == elf_object.PC32 else 0  # an entry of a jump table
                what, more = self.target(own, other, extra - relative, depth + 1)
                words.append((at - start, what))
                references += more
        return f"{offset - start} {content.rstrip(bytes(1)).hex()} {words}", references

    def body(self, key):
        """Returns (hash without references, references, instructions) of one function."""
        words, references, symbol = [], [], self.code[key[0]][key[1]]
        relocations, lines = self.elf.relocations[key[0]], self.lines[key]
        at = bisect.bisect_left(relocations, key[1], key=lambda row: row[0])
        for number, (address, text, target) in enumerate(lines):
            end = lines[number + 1][0] if number + 1 < len(lines) else key[1] + symbol.size
            found, branch = [], BRANCH.match(text)
            while at < len(relocations) and relocations[at][0] < end:
                offset, kind, other, addend = relocations[at]
                if not elf_object.is_absolute(kind):
                    addend += end - offset
                found.append(self.target(key, other, addend))
                at += 1
            if not found and (branch or target is not None):
                found.append(self.place(key, key[0], int(branch[2], 16) if branch else target))
            if found:
                text = branch[1] if branch else re.sub(r"-?0x[0-9a-f]+\(%rip\)", "(%rip)", text)
            if not NO_OP.match(text):
                words.append(" ".join([" ".join(text.split())] + [what for what, _ in found]))
            references += [reference for _, more in found for reference in more]
        return digest(*words), references, len(words)

    def rows(self):
        """Yields [name, hash, references, instructions, bytes]; references are hashes or names."""
        for (section, start), (hashed, references, count) in self.bodies.items():
            symbol = self.code[section][start]
            references = [one if isinstance(one, str) else "=" + self.bodies[one][0]
                          for one in references]
            yield [plain(symbol.name), hashed, references, count, symbol.size]

    def defined(self):
        """Yields (name, hash) of functions that other objects may name, once per name."""
        for symbol in self.elf.symbols:
            if symbol.section and symbol.kind == elf_object.FUNCTION:
                if body := self.bodies.get((symbol.section, symbol.value)):
                    yield plain(symbol.name), body[0]
            elif symbol.section and symbol.kind in (elf_object.OBJECT, elf_object.THREAD):
                yield plain(symbol.name), digest(self.target(None, symbol, 0)[0])


def read_object(cuobjdump, path):
    functions = Functions(path)
    sections = functions.elf.sections
    strings = sorted({text.decode(errors="replace") for section in sections
                      if section.is_strings() and section.name.startswith(".rodata")
                      for text in functions.elf.content(section).split(b"\0") if text})
    found = {"functions": list(functions.rows()), "kernels": [], "variables": [],
             "strings": strings, "defined": list(functions.defined())}
    if any(section.name == ".nv_fatbin" for section in sections):
        found["kernels"], found["variables"] = kernels(cuobjdump, path)
    return found


def record(arguments):
    root = pathlib.Path(arguments.build)
    paths = sorted(path for path in root.rglob("*.o") if "CMakeFiles" in path.parts)
    # One process per object: the listings of a few take hundreds of megabytes.
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        found = list(pool.map(functools.partial(read_object, arguments.cuobjdump), paths))
    objects = {str(path.relative_to(root)): one for path, one in zip(paths, found)}
    hashes = collections.defaultdict(set)  # several if files' flags differ
    for one in found:
        for name, hashed in one.pop("defined"):
            if not STANDARD.match(name):
                hashes[name].add(hashed)
    defined = {name: "=" + "+".join(sorted(several)) for name, several in hashes.items()}
    for one in found:
        for row in one["functions"]:
            row[2] = digest(row[1], *(defined.get(plain(reference), reference)
                                      for reference in row[2]))
    pathlib.Path(arguments.out).write_text(json.dumps(objects, sort_keys=True, indent=0) + "\n")
    print(f"{len(objects)} objects, {sum(len(one['kernels']) for one in found)} kernels, "
          f"{sum(len(one['functions']) for one in found)} functions")
    return 0


def demangle(name):
    run = subprocess.run(["c++filt", name], stdout=subprocess.PIPE, text=True, check=True)
    name = run.stdout.strip()
    return name if len(name) < 200 else name[:120] + " ... " + name[-75:]


class Side:
    """One kind of a record: which names have which hash."""

    def __init__(self, objects, kind, arguments, registers):
        self.names = collections.defaultdict(dict)  # hash: {name: (object, row)}
        self.instructions = self.bytes = 0
        for path, one in objects.items():
            for row in one[kind]:
                self.instructions, self.bytes = self.instructions + row[3], self.bytes + row[4]
                if bool(REGISTERS.search(row[0])) == registers:
                    self.names[row[1 if arguments.ignore_callees else 2]][row[0]] = path, row

    def without(self, other):
        """Returns [(object, row)] of names with a hash that `other` has fewer times."""
        for hashed, names in self.names.items():
            theirs = other.names.get(hashed, {})
            extra = len(names) - len(theirs)
            if extra > 0:
                own = sorted(names, key=lambda name: (name in theirs, name))
                yield from (names[name] for name in own[:extra])


def pairs(before, after):
    """Pairs each of `before` with what it most likely became; then lists what is new."""
    old, new, found = list(before), list(after), []
    for like in (lambda row: row[1][1], lambda row: row[1][0], lambda row: row[0], lambda _: 0):
        left, others = [], collections.defaultdict(list)
        for row in new:
            others[like(row)].append(row)
        for row in old:
            if choice := others[like(row)]:
                best = min(choice, key=lambda other: abs(other[1][3] - row[1][3]))
                choice.remove(best)
                found.append((row, best))
            else:
                left.append(row)
        old, new = left, [row for rows in others.values() for row in rows]
    return found + [(row, None) for row in old] + [(None, row) for row in new]


def compare_kind(before, after, kind, arguments, registers=False):
    """Prints the differences and returns their number."""
    one, other = (Side(side, kind, arguments, registers) for side in (before, after))
    equal = sum(min(len(names), len(other.names.get(hashed, {})))
                for hashed, names in one.names.items())
    lost, new = list(one.without(other)), list(other.without(one))
    if not registers:
        print(f"{kind}: {equal} equal, {len(lost)} only before, {len(new)} only after; "
              f"all copies: {one.instructions} -> {other.instructions} instructions, "
              f"{one.bytes} -> {other.bytes} bytes")
    elif lost or new:
        print(f"registration of kernels (fails nothing): {len(lost)} before, {len(new)} after")
    found = pairs(lost, new) if not registers else []
    for old, now in found[:arguments.list]:
        counts = " -> ".join(str(side[1][3]) if side else "none" for side in (old, now))
        same = old and now and old[1][1] == now[1][1]
        print(f"  {demangle((old or now)[1][0])}\n    {(old or now)[0]}: {counts} instructions"
              + (", same but for what they call or name" if same else ""))
        if old and now and old[1][0] != now[1][0]:
            print(f"    perhaps now {demangle(now[1][0])}, {now[0]}")
    if len(found) > arguments.list:
        print(f"  and {len(found) - arguments.list} more")
    return len(lost) + len(new)


def compare(arguments):
    before, after = ({path: one for path, one in json.loads(pathlib.Path(file).read_text()).items()
                      if re.search(arguments.only, path)}
                     for file in (arguments.before, arguments.after))
    print(f"objects: {len(before)} -> {len(after)}")
    differences = sum(compare_kind(before, after, kind, arguments)
                      for kind in ("kernels", "functions"))
    compare_kind(before, after, "functions", arguments, registers=True)
    for kind in ("strings", "variables"):
        old, new = ({text for one in side.values() for text in one[kind]}
                    for side in (before, after))
        print(f"{kind} (fail nothing): {len(old & new)} equal, {len(old - new)} only before, "
              f"{len(new - old)} only after")
        for sign, texts in (("-", old - new), ("+", new - old)):
            for text in sorted(texts) if arguments.strings else []:
                print(f"  {sign} {text[:200]!r}")
    return 1 if differences or not before or not after else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("record", help="hash the objects of a build")
    one.add_argument("build")
    one.add_argument("out")
    one.add_argument("--jobs", type=int, default=os.cpu_count())
    one.add_argument("--cuobjdump", default=shutil.which("cuobjdump")
                     or "/usr/local/cuda/bin/cuobjdump")
    one.set_defaults(run=record)
    one = commands.add_parser("compare", help="compare two records")
    one.add_argument("before")
    one.add_argument("after")
    one.add_argument("--only", default="", help="a regular expression that objects' paths match")
    one.add_argument("--ignore-callees", action="store_true",
                     help="compare a part of a build, whose callees are elsewhere")
    one.add_argument("--list", type=int, default=50, help="how many differences to list")
    one.add_argument("--strings", action="store_true",
                     help="list the strings and variables that differ")
    one.set_defaults(run=compare)
    arguments = parser.parse_args()
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
