#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the rules of the source: includes, macros, licences, names and sizes of files, comments.

Includes run core <- core/contract <- core/tools <- backends <- algorithms <- distributed <- tests,
perf, examples.
core sees only the standard library; core/contract, the interface that a backend implements, sees
core; core/tools (profilers, comparison of runs, the runtime of checked builds) sees both. A backend
sees all of core and its vendor's headers, and a host backend also the entry points of openmp's
kernels. Algorithms see those and the configured default space, distributed sees algorithms too. The
others see public headers, which <tandem/tandem.hpp> and <tandem/distributed.hpp> name, and tests
also the parts that they test. The folders of a backend form layers: a file includes headers of its
folder or of a lower layer, and the folders below the operations know none of these. No two files
include each other.
Public headers include no header of CUB or Thrust, which would cost every user's file seconds.
"""

import functools
import pathlib
import re
import sys

from include_graph import INCLUDE, check_costly, check_cycles

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("core", "backends", "algorithms", "distributed", "include", "tests", "perf", "examples",
           "packaging", "cmake", ".ci")
CODE = {".hpp", ".cuh", ".cpp", ".cu"}
SCRIPTS = {".py", ".cmake", ".sh"}
LIBRARY = ("core", "backends", "algorithms", "distributed")
MACROS = {"TANDEM_FUNCTION", "TANDEM_LAMBDA", "TANDEM_DEVICE_PASS", "TANDEM_CHECKED"}
LINES_AT_MOST, COLUMNS_AT_MOST = 400, 100
MOST_LINES, SHARE_OF_MOST = 300, 0.9
# Short headers lengthen the path from a call to its instructions. A short header is accepted next
# to the source that defines its declarations, or for one of these reasons.
SHORT_LINES = 40
SHORT_HEADERS = {
    r".*/policy\.hpp": "tuning stands apart from what it tunes",
    r"(.*/)?dispatch\.hpp": "a door: declarations alone",
    r".*/(kernels|packed_terms)/.*": "a file per instruction set, and what these have in common",
    r"backends/\w+/\w+\.\w+": "the face, and the operations of serial",
    r"backends/cuda/matmul/(common|passes)/\w+\.\w+": "a step that several engines share",
    r"backends/cuda/.*/launch\.hpp": "lets files of any compiler call what nvcc compiles",
    r"backends/cuda/runtime/result_slot\.cuh": "the device's side of result_slot.hpp",
    r"backends/openmp/cpu/\w+\.hpp": "one property of the processor or the compiler",
    r"core/\w+\.hpp": "users include one by one what they need",
    r"core/contract/(host/)?\w+\.hpp": "one facility or problem that backends share",
    r"core/kernel/link_guard\.hpp": "what every object of a program refers to",
    r"algorithms/generic/\w+\.hpp": "one generic form",
    r"include/.*": "what CMake configures, as a source of other builds has it",
    r"tests/.*": "helpers of several tests",
    r"perf/.*": "one peer or one measure",
}

# Headers that are included several times: pragmas before and after functions.
REPEATED = {f"backends/openmp/cpu/{end}_vectorised.hpp" for end in ("begin", "end")}

# Generated references show docstrings one by one, so these openings mean nothing there.
RELATIVE_OPENINGS = ("The same", "Both on", "Both results", "All of them", "As")

# The folders of each backend by layer, the lowest first; folders of one layer do not see each
# other. Files outside any folder see all of them and are seen by none.
FLOORS = {
    "cuda": (
        ("ptx", "runtime"),
        ("primitives",),
        ("memory", "loop", "histogram", "matmul", "random", "reduce", "scan", "select"),
        ("sort", "reduce_axis", "segments"),
    ),
    "openmp": (
        ("cpu",),
        ("threads",),
        ("runtime",),
        ("memory", "loop", "select", "sort", "matmul", "random"),
        ("reduce",),
        ("scan", "histogram", "reduce_axis"),
        ("segments",),
    ),
}
# Rooms that no operation is in: they neither include its problem nor declare its entry point.
WITHOUT_OPERATIONS = {"cuda": ("ptx", "runtime", "primitives"),
                      "openmp": ("cpu", "threads", "runtime")}
# Entry points of no operation: the space answers them itself.
OF_THE_SPACE = {"dispatch_check_pointer", "dispatch_record"}
FILES_OUTSIDE_ROOMS = 6
# The one header through which other backends of the host use this one's kernels.
HOST_KERNELS = "backends/openmp/host_kernels.hpp"
# Limits the files of a folder: in one whose path from the entry point to the instruction should be
# short, and in core, where the others have rooms.
FILES_OF_ROOM = {"backends/openmp/reduce": 7, "core": 20}

# Files whose name contains a folder's, because the field has no other word.
NAMED_AS_FOLDER = {
    "avx512_bf16.cpp": "an instruction set, by which openmp.cmake chooses flags",
}

# The layers of core, the lowest first; files in none of these folders belong to the first.
CORE_LAYERS = ("", "contract", "tools")
# An array takes memory and values from a backend, and reports itself to the recorder. config.hpp
# includes the check of a file's flags, which asks whether the build wants one.
ALSO_SEES = {"core/array.hpp": ("core/contract/strided.hpp",
                                "core/tools/comparison/recording.hpp"),
             "core/tools/agreement/agreement.hpp": ("settings.hpp",)}

# The runtime of checked builds requests memory and source lines from the system, and its entry
# points are a list of functions by size, generated by macros.
CHECKED_RUNTIME = ("core", "tools", "checked")
# Profilers are libraries loaded at run time.
OF_THE_SYSTEM = {"core/tools/profiling/profiling.cpp": ("dlfcn.h",), "core/files/file.cpp":
                 ("fcntl.h", "sys/mman.h", "sys/stat.h", "sys/statvfs.h", "unistd.h")}

CONDITION = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b(.*)$", re.MULTILINE)
CLASS = re.compile(r"\s*(?:template <.*> )?(struct|class|union)\b[^;]*(?:[^;}]|\{)$")
MEMBER = re.compile(r"\s+[\w:][^()]*[ *&](\w+_)(?:\[.*\])?(?: = .*|\{.*\})?;")
ENTRY_POINT = re.compile(r"\b(dispatch_\w+)\(")
DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)", re.MULTILINE)


def backends():
    return sorted(path.name for path in (ROOT / "backends").iterdir() if path.is_dir())


def owner(path):
    """Returns the backend whose folder holds `path`, or None."""
    return path.parts[1] if path.parts[0] == "backends" and len(path.parts) > 2 else None


def is_of_host(backend):
    """Whether a backend's code is compiled only for the host, which needs no annotations."""
    return not (ROOT / "backends" / backend / "annotations.hpp").exists()


def is_standard(header):
    return re.fullmatch(r"[a-z0-9_]+", header) is not None


@functools.cache
def umbrella():
    """Returns the headers that <tandem/tandem.hpp> and <tandem/distributed.hpp> include."""
    texts = [(ROOT / f"include/tandem/{one}.hpp").read_text() for one in ("tandem", "distributed")]
    return {header.removeprefix("tandem/") for text in texts for _, header in INCLUDE.findall(text)}


def is_public(header):
    """Whether users may include <tandem/`header`>."""
    return (re.fullmatch(r"(tandem|distributed|dlpack|print|require_in_kernel|default_space|"
                         r"version|config)\.hpp", header) is not None
            or header in umbrella()
            or re.fullmatch(r"backends/(\w+)/\1\.hpp", header) is not None)


def core_layer(path):
    """Returns the number of the layer of core that holds `path`, counted from the lowest."""
    folder = pathlib.PurePath(path).parts[1]
    return CORE_LAYERS.index(folder) if folder in CORE_LAYERS else 0


def is_inside_tool(header):
    """Whether a header is a tool's own: others include core/tools/NAME/NAME.hpp alone."""
    return (header.startswith("core/tools/")
            and re.fullmatch(r"core/tools/(\w+)/\1\.hpp", header) is None)


def may_include(path, header):
    """Whether the file at `path` may include <`header`>."""
    folder = path.parts[0]
    if not header.startswith("tandem/"):
        if header in OF_THE_SYSTEM.get(path.as_posix(), ()):
            return True
        if header == "immintrin.h" and re.fullmatch(r"core/math/\w+_avx\w+\.cpp", path.as_posix()):
            return True
        if path.parts[:3] == CHECKED_RUNTIME and path.suffix == ".cpp":
            return True
        return is_standard(header) if folder in ("core", "algorithms", "distributed") else True
    inside = header.removeprefix("tandem/")
    if is_inside_tool(inside) and path.parts[:2] != ("core", "tools") and folder != "tests":
        return inside in ALSO_SEES.get(path.as_posix(), ())
    if folder == "include":
        return True
    if folder == "core":
        return inside == "config.hpp" or inside in ALSO_SEES.get(path.as_posix(), ()) or (
            inside.startswith("core/") and core_layer(inside) <= core_layer(path))
    if folder == "backends":
        if inside == HOST_KERNELS and is_of_host(owner(path)):
            return True
        return inside == "config.hpp" or inside.startswith(("core/", f"backends/{owner(path)}/"))
    if folder in ("algorithms", "distributed"):
        return (inside in ("config.hpp", "default_space.hpp")
                or inside.startswith(("core/", "algorithms/", f"{folder}/")))
    # A backend's tests also see its parts: for example, tuning tables are tested on the host.
    own = "/".join(path.parts[1:3]) + "/" if path.parts[:2] == ("tests", "backends") else None
    parts = ("core/",) if folder == "tests" else ()
    return is_public(inside) or inside.startswith((own, *parts) if own else parts)


def check_includes(path, text):
    for mark, header in INCLUDE.findall(text):
        if mark == '"' and path.parts[0] in LIBRARY:
            yield f'includes "{header}": write <tandem/...>, which is the path in the repository'
        elif mark == "<" and not may_include(path, header):
            yield f"includes <{header}>, which its layer must not see"


def room(path):
    """Returns the folder of a backend's file, or None for files outside any folder."""
    return path.parts[2] if len(path.parts) > 3 else None


def floor(backend, name):
    return next((i for i, rooms in enumerate(FLOORS[backend]) if name in rooms), None)


def check_floors(path, text):
    """Checks that a backend's file includes only its folder or lower layers."""
    backend = owner(path)
    if backend not in FLOORS or room(path) is None:
        return
    if floor(backend, room(path)) is None:
        yield f"is in the room '{room(path)}', which FLOORS does not place"
        return
    for _, header in INCLUDE.findall(text):
        target = pathlib.PurePath(header.removeprefix("tandem/"))
        if header.startswith("tandem/backends/") and room(target) != room(path):
            if room(target) is None:
                yield f"includes <{header}>, the backend's face, from inside"
            elif floor(backend, room(target)) >= floor(backend, room(path)):
                yield f"includes <{header}>, which runs up or across the backend's floors"


def check_operations(path, text):
    """That rooms below the operations know none of them."""
    if room(path) not in WITHOUT_OPERATIONS.get(owner(path), ()):
        return
    for _, header in INCLUDE.findall(text):
        if header.endswith("_problem.hpp"):
            yield f"includes <{header}>, of an operation that its room must not know"
    for name in sorted(set(ENTRY_POINT.findall(text)) - OF_THE_SPACE):
        yield f"names {name}, of an operation that its room must not know"


def check_rooms(files):
    """Checks the number of files outside a backend's folders and in some of them."""
    for backend in FLOORS:
        outside = [path for path, _ in files if owner(path) == backend and room(path) is None]
        if len(outside) > FILES_OUTSIDE_ROOMS:
            yield f"backends/{backend}: {len(outside)} files lie outside any room"
    for folder, most in FILES_OF_ROOM.items():
        count = sum(path.parent.as_posix() == folder for path, _ in files)
        if count > most:
            yield f"{folder}: {count} files, more than {most}"


def check_name(path):
    """Checks that a backend's file does not repeat its folder's name, and that instances are in
    instances/."""
    if owner(path) not in FLOORS:
        return
    folders = {name for folder in path.parts[2:-1] for name in (folder, folder.removesuffix("s"))}
    excused = any(name in path.as_posix() for name in NAMED_AS_FOLDER)
    repeated = [word for word in path.stem.split("_") if word in folders]
    if repeated and not excused:
        yield f"has a name that repeats its folder's: {repeated[0]}"
    if path.stem.startswith("instance") and path.parent.name != "instances":
        yield "holds instances: it belongs into the folder instances/"


def check_short(path, text, sources):
    """Checks that a short header has a reason to be a separate file."""
    if path.suffix not in (".hpp", ".cuh") or len(text.splitlines()) >= SHORT_LINES:
        return
    reasons = [reason for pattern, reason in SHORT_HEADERS.items()
               if re.fullmatch(pattern, path.as_posix())]
    if path.with_suffix("") not in sources and not reasons:
        yield f"has fewer than {SHORT_LINES} lines: merge it, or give a reason in SHORT_HEADERS"


def check_umbrella(files):
    """Checks that <tandem/tandem.hpp> names every header directly in core/ or algorithms/."""
    for path, _ in files:
        is_loose = re.fullmatch(r"(core|algorithms)/[^/]+\.hpp", path.as_posix())
        if is_loose and path.as_posix() not in umbrella():
            yield f"include/tandem/tandem.hpp does not include {path}"


def check_preprocessor(path, text):
    if path.parts[0] not in LIBRARY + ("examples",):
        return
    for condition in CONDITION.findall(text):
        for name in backends():
            if name != owner(path) and name in condition.lower():
                yield f"'#if{condition}' names the backend {name} outside its folder"
        if "__CUDA" in condition and owner(path) != "cuda":
            yield f"'#if{condition}' names a compiler of the cuda backend outside its folder"
    for macro in DEFINE.findall(text):
        if macro not in MACROS and path.parts[:3] != CHECKED_RUNTIME:
            yield f"defines the macro {macro}; the library has {len(MACROS)} and no more"


def check_text(path, text):
    lines = text.splitlines()
    if not any("SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" in line
               for line in lines[:2]):
        yield "has no SPDX line at its top"
    is_header = path.suffix in (".hpp", ".cuh") and path.as_posix() not in REPEATED
    if is_header and "#pragma once" not in lines:
        yield "has no #pragma once"
    generated = any(line.startswith("// Made by") for line in lines[:2])
    if len(lines) > LINES_AT_MOST and not generated:
        yield f"has {len(lines)} lines, more than {LINES_AT_MOST}"
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            yield f"line {number} holds a tab"
        if len(line) > COLUMNS_AT_MOST:
            yield f"line {number} has {len(line)} columns, more than {COLUMNS_AT_MOST}"


def check_sizes(files):
    """Checks the conventions for all files together."""
    lengths = {path: len(text.splitlines()) for path, text in files if path.suffix in CODE}
    most = sum(length <= MOST_LINES for length in lengths.values())
    if most < SHARE_OF_MOST * len(lengths):
        yield f"only {most} of {len(lengths)} files have at most {MOST_LINES} lines"


def is_broken_declaration(first, second):
    """Whether a comment at the end of `second` split a declaration that fits into one line."""
    statement, found, _ = second.partition(";  //")
    if not found or not first.strip() or len(f"{first} {statement.strip()};") > COLUMNS_AT_MOST:
        return False
    if first.endswith("="):
        return True
    return (re.fullmatch(r"\s+(?:[\w:]|<.*>|\*)+(?: (?:[\w:]|<.*>|\*)+)*", first) is not None
            and not first.strip().startswith("return")
            and re.fullmatch(r"\s+[\w\[\]]+(?: = .*)?", statement) is not None)


def check_comments(path, text):
    """Finds comments that a formatter damages, and first lines that mean nothing without other
    text."""
    lines = ["", *text.splitlines()]
    for number, (before, line) in enumerate(zip(lines, lines[1:]), 1):
        if path.suffix in CODE and is_broken_declaration(before, line):
            yield f"line {number}: its comment broke the declaration in two; move it above"
        if path.suffix in CODE and line.strip().startswith("///<"):
            yield f"line {number} holds nothing but the comment on the line before"
        starts = '"""' if path.suffix == ".py" else "///"
        if path.suffix != ".py" and before.strip().startswith(starts):
            continue
        if re.match(rf"\s*{starts}<? ?(?:{'|'.join(RELATIVE_OPENINGS)})\b", line):
            yield f"line {number}: a docstring begins with a reference to another text"


def check_members(path, text):
    """Checks that data members ending in _ are private; .clang-tidy checks the converse."""
    classes = []  # (columns before it, whether what follows is public), the innermost last
    for number, line in enumerate(text.splitlines(), 1):
        columns = len(line) - len(line.lstrip())
        if opened := CLASS.match(line):
            classes.append((columns, opened[1] != "class"))
        elif line.strip() == "};" and classes and columns == classes[-1][0]:
            classes.pop()
        elif access := re.match(r"\s*(public|private|protected):", line):
            classes[-1] = (classes[-1][0], access[1] == "public")
        elif classes and classes[-1] == (columns - 2, True) and (member := MEMBER.match(line)):
            yield f"line {number}: {member[1]} is public; names that end in _ are private"


def source_files():
    """Yields (path relative to the root, text) of every file that the rules cover."""
    paths = [ROOT / "CMakeLists.txt"]
    for folder in FOLDERS:
        paths += sorted((ROOT / folder).rglob("*"))
    for path in paths:
        named = path.suffix in CODE | SCRIPTS or path.name == "CMakeLists.txt"
        script = path.is_file() and not path.suffix and path.read_bytes().startswith(b"#!")
        built = "build" in path.relative_to(ROOT).parts[:-1]  # by `conan create`
        if path.is_file() and (named or script) and not built:
            yield path.relative_to(ROOT), path.read_text(encoding="utf-8")


def main():
    files = list(source_files())
    failures = [*check_sizes(files), *check_costly(files, is_public), *check_rooms(files),
                *check_cycles(files), *check_umbrella(files)]
    sources = {path.with_suffix("") for path, _ in files if path.suffix in (".cpp", ".cu")}
    for path, text in files:
        found = [*check_text(path, text), *check_comments(path, text), *check_name(path),
                 *check_short(path, text, sources)]
        if path.suffix in CODE:
            found += [*check_includes(path, text), *check_floors(path, text),
                      *check_operations(path, text), *check_preprocessor(path, text),
                      *check_members(path, text)]
        failures += [f"{path}: {failure}" for failure in found]
    print("\n".join(failures + [f"{len(files)} files, {len(failures)} broken rules"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
