# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public names of the library, as libclang reads them in its headers."""

import dataclasses
import pathlib
import re

from clang import cindex

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The Python of libclang 16 does not know the kind that its library reports for a concept.
if not hasattr(cindex.CursorKind, "CONCEPT_DECL"):
    cindex.CursorKind.CONCEPT_DECL = cindex.CursorKind(604)

Kind = cindex.CursorKind
FUNCTIONS = (Kind.FUNCTION_DECL, Kind.FUNCTION_TEMPLATE, Kind.CXX_METHOD, Kind.CONSTRUCTOR,
             Kind.CONVERSION_FUNCTION, Kind.DESTRUCTOR)
CLASSES = (Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.CLASS_TEMPLATE,
           Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION)
WORDS = {Kind.CONCEPT_DECL: "concept", Kind.ENUM_DECL: "enumeration", Kind.TYPE_ALIAS_DECL: "type",
         Kind.TYPE_ALIAS_TEMPLATE_DECL: "type", Kind.MACRO_DEFINITION: "macro"}

# Headers that no program names: how backends are called, and what the spaces share.
HIDDEN_NAMESPACES = {"detail", "host", "device", "checked", "serial_impl", "openmp_impl",
                     "cuda_impl"}
HIDDEN_NAMES = re.compile(r"dispatch_\w+|CU\w+_st|tuple_size|tuple_element|numeric_limits")
# call_forms.hpp and refused_calls.hpp have overloads that a wrong call selects, to say what is wrong
# with it.
# recording.hpp names types that other headers define.
HIDDEN_HEADERS = re.compile(r"core/(kernel/checked|tools/checked/|contract/host/)|"
                            r"core/tools/comparison/recording|algorithms/detail/call_forms|"
                            r"core/math/refused_calls")
# An overload that accepts a wrong argument, to report it.
REFUSAL = re.compile(r"requires\(!reducer_or_deduced<")
INTERNAL = ("detail::", "tandem::detail::")
MACROS = ("TANDEM_LAMBDA", "TANDEM_FUNCTION", "TANDEM_CHECKED", "TANDEM_AGREEMENT")

# A build makes its own default_space.hpp; this one holds every backend, so that all have pages.
ALL_SPACES = """\
#include <tandem/core/array.hpp>
#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/space.hpp>
#include <tandem/backends/serial/serial.hpp>
#include <tandem/backends/openmp/openmp.hpp>
#include <tandem/backends/cuda/cuda.hpp>
namespace tandem {
using default_space = openmp;
using build_space = default_space;
using any_space = basic_any_space<void, serial, openmp, cuda>;
template <class T, int Rank = 1, class Space = default_space, class Layout = layout_right>
class array;
template <class T, int Rank = 1, class Layout = layout_right,
          class Memory = default_space::memory_type>
class view;
}
"""
# No standard library of Debian's compilers has <mdspan> yet.
MDSPAN = """\
#pragma once
#include <cstddef>
namespace std {
template <class Index, size_t Rank>
struct dextents;
template <class T, class Extents, class Layout>
struct mdspan;
struct layout_right;
struct layout_left;
struct layout_stride {
  template <class Extents>
  struct mapping;
};
}
"""


def everything():
    """A source that includes every header for users."""
    headers = ["tandem/tandem.hpp", *(f"tandem/{path.name}" for path in
                                      sorted((ROOT / "include/tandem").glob("*.hpp")))]
    headers += [f"tandem/{path.relative_to(ROOT)}" for folder in ("core", "algorithms")
                for path in sorted((ROOT / folder).glob("*.hpp"))]
    return "".join(f"#include <{header}>\n" for header in headers)


@dataclasses.dataclass
class Declaration:
    """One declaration, as a page shows it."""

    name: str        # without `tandem::`
    kind: str        # function, class, concept, ...
    signature: str   # as written, without body and annotations
    docstring: str   # the text of its `///` lines, empty if it has none
    header: str      # path in the repository
    line: int
    begin: int       # first line, of the template's parameters for example
    end: int
    for_kernels: bool
    parameters: list = dataclasses.field(default_factory=list)  # names, of functions
    members: list = dataclasses.field(default_factory=list)


def text_of_comment(raw):
    """The text of a `///` comment; other comments are not docstrings."""
    lines = [line.strip() for line in (raw or "").splitlines()]
    if not lines or not all(line.startswith("///") for line in lines):
        return ""
    return "\n".join(re.sub(r"^///<? ?", "", line) for line in lines).strip("\n")


def end_of_signature(text, is_function):
    """The position of the body, or of a constructor's initialisers, in a declaration."""
    depth = 0
    for at, letter in enumerate(text):
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif depth == 0 and letter == "{" and not text[:at].rstrip().endswith("requires"):
            return at
        elif depth == 0 and is_function and letter == ":" and ":" not in (
                text[at - 1], text[at + 1:at + 2]):
            return at
    return len(text)


def tidy_signature(text):
    """Without annotations and the indentation of the enclosing class."""
    text = re.sub(r"\bTANDEM_FUNCTION\s+|^inline (?!constexpr)", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[\[[\w:]+\]\] ", "", text)
    lines = [line.rstrip() for line in text.rstrip().splitlines() if line.strip()]
    indents = [len(line) - len(line.lstrip()) for line in lines[1:]]
    if indents and min(indents) >= 2 and lines[0].startswith("template"):
        lines[1:] = [line[2:] for line in lines[1:]]
    return "\n".join(lines).rstrip(" ;") + ";"


class Reader:
    """Reads the headers once; `declarations` are those of namespace scope, in their order."""

    def __init__(self, scratch):
        include = scratch / "include"
        (include / "tandem").mkdir(parents=True, exist_ok=True)
        (include / "tandem/default_space.hpp").write_text("#pragma once\n" + ALL_SPACES)
        (include / "mdspan").write_text(MDSPAN)
        (include / "omp.h").write_text("#pragma once\n")  # only bodies call it
        unit = cindex.Index.create().parse(
            "everything.cpp", unsaved_files=[("everything.cpp", everything())],
            args=["-std=c++20", f"-I{include}", f"-I{ROOT}/include", "-Wno-everything",
                  "-D__cpp_lib_mdspan=1"],
            options=cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES)
        faults = [str(one) for one in unit.diagnostics if one.severity >= cindex.Diagnostic.Error]
        if faults:
            raise SystemExit("docs/build: libclang cannot read the headers:\n" + "\n".join(faults))
        self.sources, self.declarations = {}, []
        self.enter(unit.cursor, "")
        self.add_macros()

    def source(self, header):
        if header not in self.sources:
            self.sources[header] = (ROOT / header).read_bytes()
        return self.sources[header]

    def header_of(self, cursor):
        """The header's path in the repository, or nothing if it is not ours."""
        if not cursor.location.file:
            return None
        path = pathlib.Path(cursor.location.file.name).resolve()
        if path.name == "default_space.hpp":
            path = ROOT / "include/tandem/default_space.hpp"
        return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else None

    def enter(self, scope, prefix):
        for cursor in scope.get_children():
            header = self.header_of(cursor)
            if not header:
                continue
            if cursor.kind == Kind.NAMESPACE:
                if not prefix and cursor.spelling != "tandem":
                    continue
                if cursor.spelling not in HIDDEN_NAMESPACES:
                    inner = "" if cursor.spelling == "tandem" else cursor.spelling + "::"
                    self.enter(cursor, prefix + (inner or "::"))
            elif prefix and not HIDDEN_HEADERS.match(header):
                self.add(cursor, prefix.removeprefix("::"), header)

    def add(self, cursor, prefix, header):
        guide = re.match(r"<deduction guide for (\w+)>", cursor.spelling)
        name = guide.group(1) if guide else re.sub(r"<.*", "", cursor.spelling)
        if cursor.spelling.startswith("operator"):
            name = "operators"
        is_forward = cursor.kind in CLASSES and not cursor.is_definition()
        if not name or HIDDEN_NAMES.fullmatch(name) or cursor.kind == Kind.STATIC_ASSERT:
            return
        if (is_forward and cursor.get_definition()) or cursor.semantic_parent.kind in CLASSES:
            return
        if header.startswith("include/") and header.endswith("default_space.hpp"):
            if cursor.kind == Kind.TYPE_ALIAS_DECL:
                self.add_alias(name)
            return
        made = self.declare(cursor, prefix + name, header)
        is_specialised = made.kind == "constant" and not guide and f" {name}<" in made.signature
        if not is_specialised and not REFUSAL.search(made.signature):
            self.declarations.append(made)

    def add_alias(self, name):
        """A name of default_space.hpp, read from the file in the repository."""
        header = "include/tandem/default_space.hpp"
        lines = self.source(header).decode().splitlines()
        line = next(i for i, text in enumerate(lines) if text.startswith(f"using {name} "))
        comment = []
        while lines[line - len(comment) - 1].startswith("///"):
            comment.insert(0, lines[line - len(comment) - 1])
        self.declarations.append(Declaration(name, "type", lines[line],
                                             text_of_comment("\n".join(comment)), header, line + 1,
                                             line + 1, line + 1, False))

    def add_macros(self):
        """The macros: their words are a table in the docstring of annotations.hpp."""
        header = "core/annotations.hpp"
        lines = self.source(header).decode().splitlines()
        for name in MACROS:
            line = next(i for i, text in enumerate(lines) if text.startswith(f"/// {name} "))
            words = [lines[line].removeprefix(f"/// {name}").strip()]
            for text in lines[line + 1:]:
                if not text.startswith("///  "):
                    break
                words.append(text[3:].strip())
            sentence = " ".join(words)
            docstring = sentence[0].upper() + sentence[1:] + "."
            self.declarations.append(Declaration(name, "macro", f"#define {name}", docstring,
                                                 header, line + 1, line + 1, line + 1, False))

    def declare(self, cursor, name, header):
        source = self.source(header)
        text = source[cursor.extent.start.offset:cursor.extent.end.offset].decode()
        if cursor.kind == Kind.ENUM_DECL:  # what the enumerators mean
            text = re.sub(r"///<?", "//", text)
        else:
            text = re.sub(r"(?m)^ *//.*\n| *//.*", "", text)
        is_function = cursor.kind in FUNCTIONS
        whole = cursor.kind in (Kind.CONCEPT_DECL, Kind.ENUM_DECL, Kind.TYPE_ALIAS_DECL,
                                Kind.TYPE_ALIAS_TEMPLATE_DECL, Kind.FIELD_DECL)
        cut = text if whole else text[:end_of_signature(text, is_function)]
        if cursor.kind in CLASSES:
            cut = re.sub(r"\s*:\s*(public )?(detail::|std::conditional).*", "", cut, flags=re.S)
        kind = WORDS.get(cursor.kind, "function" if is_function else
                         "class" if cursor.kind in CLASSES else "constant")
        result = Declaration(name, kind, tidy_signature(cut), text_of_comment(cursor.raw_comment),
                             header, cursor.location.line, cursor.extent.start.line,
                             cursor.extent.end.line, "TANDEM_FUNCTION" in text[:len(cut)])
        if is_function:  # by its number: libclang has kinds that its Python does not know
            result.parameters = [one.spelling for one in cursor.get_children() if one.spelling and
                                 one._kind_id == Kind.PARM_DECL.value]
        if cursor.kind in CLASSES:
            result.members = self.members_of(cursor, header)
        return result

    def members_of_base(self, base):
        """The members that a class has from one of namespace detail, which has no page."""
        for reference in base.get_children():
            definition = reference.referenced and reference.referenced.get_definition()
            if definition and definition.kind in CLASSES:
                return self.members_of(definition, self.header_of(definition))
        return []

    def members_of(self, cursor, header):
        """The public members, and the functions that the class declares as friends."""
        members = []
        for child in cursor.get_children():
            if child.kind == Kind.CXX_BASE_SPECIFIER and child.type.spelling.startswith(INTERNAL):
                members += self.members_of_base(child)
                continue
            if child.kind == Kind.FRIEND_DECL:
                child = next((c for c in child.get_children() if c.kind in FUNCTIONS), None)
            elif child.access_specifier != cindex.AccessSpecifier.PUBLIC:
                continue
            if child is None or child.kind == Kind.DESTRUCTOR or not child.spelling:
                continue
            if child.kind in (*FUNCTIONS, *CLASSES, Kind.FIELD_DECL, Kind.VAR_DECL,
                              Kind.TYPE_ALIAS_DECL, Kind.ENUM_DECL):
                name = re.sub(r"<.*", "", child.spelling)
                members.append(self.declare(child, name, header))
        return members
