# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of the finished site: every link leads somewhere, every name has its page, and a
function's page describes its parameters and, if it is an algorithm, its complexity."""

import html.parser
import json
import posixpath
import re
import shutil
import subprocess
import urllib.parse

import docstring
from declarations import HIDDEN_NAMES, ROOT
from topics import INTERNALS

# A declaration at the beginning of a line, as clang-format leaves it in namespace scope. This list
# is made from the text of the headers, independently of libclang, to notice what it leaves out.
NAMED = re.compile(r"^(?:struct|class|enum class|concept|using) (\w+)\b(?!::)|"
                   r"^(?:inline )?constexpr [\w:<>, ]+? (\w+) ?[={]|"
                   r"^(?:TANDEM_FUNCTION )?(?:inline )?(?:constexpr )?"
                   r"(?:void|auto|bool|(?!return)[a-z_]+(?:<[^;=]*?>)?) (\w+)\(", re.MULTILINE)
INNER = re.compile(r"^namespace (?:tandem::)?(?:detail|host|device|checked)\b.*?^}  // namespace",
                   re.DOTALL | re.MULTILINE)


class Links(html.parser.HTMLParser):
    """The links and the anchors of a page, and the anchors that it repeats."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.repeated = [], set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.repeated |= self.anchors & {value}
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def broken_links(out):
    """Links within the site that lead to no file or no anchor, and anchors that are not unique."""
    paths = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    pages = {path: Links((out / path).read_text(encoding="utf-8"))
             for path in paths if path.endswith(".html") and not path.startswith("files/")}
    for url, page in pages.items():
        yield from (f"{url}: #{anchor} is there twice" for anchor in sorted(page.repeated))
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            target, _, fragment = link.partition("#")
            there = posixpath.normpath(posixpath.join(posixpath.dirname(url), target)) \
                if target else url
            if urllib.parse.unquote(there) not in paths:
                yield f"{url}: {link} leads nowhere"
            elif fragment and there in pages and fragment not in pages[there].anchors:
                yield f"{url}: {link}: there is no such anchor"


def unrendered_markup(pages):
    """Pages that show what should have become markup."""
    for url, page in pages.items():
        text = re.sub(r"(?s)<(pre|code)\b.*?</\1>|<[^>]+>", " ", page["body"])
        found = re.search(r"@t?param\b.*|`.*|\*\*.*", text)
        if found:
            yield f"{url}: {found.group()[:40]!r} is no text"


def names_in_headers():
    """(name, header) of what core/, algorithms/ and distributed/ declare for users."""
    headers = [f"core/math/{path.name}" for path in (ROOT / "core/math").glob("*.hpp")]
    for umbrella in ("tandem", "distributed"):
        text = (ROOT / f"include/tandem/{umbrella}.hpp").read_text(encoding="utf-8")
        headers += re.findall(r"<tandem/((?:core|algorithms|distributed)/.+)>", text)
    for header in sorted(headers):
        text = INNER.sub("", (ROOT / header).read_text(encoding="utf-8"))
        if "namespace tandem {" not in text:
            continue
        for found in NAMED.finditer(text):
            name = next(group for group in found.groups() if group)
            if not HIDDEN_NAMES.fullmatch(name):
                yield name, header


def missing_names(names):
    """Names of the headers that have no page."""
    for name, header in names_in_headers():
        if name not in names and name not in ("operator", "decltype"):
            yield f"{header}: {name} has no page"


# The first parameter of an operation: a space, a group, streamed.
SPACES = ("space", "members", "how")


def undescribed_parameters(entries):
    """Functions for users whose docstring does not mention a parameter. What takes the place of
    a space needs no mention, nor do parameters that are passed on, as in the forms on the default
    space."""
    for entry in entries:
        if entry.topic == INTERNALS or entry.kind != "function":
            continue
        for group in entry.groups:
            text = group[0].docstring
            if text.startswith("Calls "):
                continue
            names = {name for one in group for name in one.parameters if name not in SPACES}
            silent = [name for name in sorted(names) if not re.search(rf"\b{name}\b", text)]
            if silent:
                yield f"{group[0].header}:{group[0].line}: {entry.name} says nothing of " + \
                    ", ".join(silent)


def missing_complexities(entries):
    """Algorithms whose docstring neither states their complexity nor refers to one that does."""
    told = {entry.name for entry in entries
            if any(docstring.has_complexity(group[0].docstring) for group in entry.groups)}
    for entry in entries:
        for group in entry.groups:
            first = group[0]
            if first.kind != "function" or not first.header.startswith(("algorithms/",
                                                                        "distributed/")):
                continue
            if not docstring.tells_complexity(entry.name, first.docstring, told):
                yield f"{first.header}:{first.line}: {entry.name} has no row `Complexity`"


def unknown_names(path, names):
    """Names in the code of a hand-written page that the library does not have."""
    text = path.read_text(encoding="utf-8")
    written = re.findall(r"\btandem::(\w+)", text)
    written += re.findall(r"`([a-z_][a-z_0-9]*)[`({<]", re.sub(r"^```.*?^```", "", text,
                                                             flags=re.DOTALL | re.MULTILINE))
    for name in sorted(set(written) - set(names) - {"tandem"}):
        yield f"{path.name}: there is no tandem::{name}"


# What somebody types, and the page that has to come first.
SEARCHES = {
    "cumulative sum": "parallel_scan", "prefix sum": "parallel_scan", "np.cumsum": "parallel_scan",
    "exclusive_scan": "parallel_scan", "std::exclusive_scan": "parallel_scan",
    "scan": "parallel_scan", "__syncthreads": "guide/teams.html", "np.where": "transform",
    "np.exp": "exp", "numpy.histogram": "histogram", "parallel for": "parallel_for",
    "Kokkos::deep_copy": "copy", "thrust::sequence": "iota", "cudaMemcpy": "copy",
    "atomicAdd": "atomic_add", "group by": "guide/reductions.html#group-by", "sum": "sum",
    "tandem::sort": "sort", "random": "fill_random", "sparse matrix": "multiply",
    "fft": "guide/not-there.html", "bin_rule": "bin_rule", "multi gpu": "devices",
    "halo exchange": "exchange", "out of core": "streamed"}


def wrong_searches(out, names):
    """The SEARCHES whose first result is another page. Needs Node.js, and finds none without it."""
    node = shutil.which("node")
    if not node:
        return
    program = ('const fs = require("fs"); eval(["search.js", "search-index.js"].map((file) => '
               'fs.readFileSync(file, "utf8")).join("\\n") + "globalThis.found = (query) => '
               'searchRows(searchIndex, searchSynonyms, query)[0]?.[1];"); '
               "console.log(JSON.stringify(process.argv.slice(1).map(found)))")
    run = subprocess.run([node, "-e", program, "--", *SEARCHES], cwd=out, check=True,
                         capture_output=True, text=True)
    for (query, target), first in zip(SEARCHES.items(), json.loads(run.stdout)):
        if first != names.get(target, target):
            yield f"search: {query!r} finds {first} first, not {names.get(target, target)}"


def examples_not_listed():
    """Examples that their README does not list, or lists with a wrong number of lines."""
    folder = ROOT / "examples"
    rows = re.findall(r"\]\(([\w/]+)\.(?:cpp|cu)\) \|.*\| (\d+) \|", (folder / "README.md").read_text())
    listed = {name.removesuffix("/main").removeprefix("tools/"): int(lines) for name, lines in rows}
    for path in sorted({*folder.glob("*.cpp"), *folder.glob("*.cu"), *folder.glob("tools/*.cpp"), *(one.parent for one in folder.glob("*/main.cpp"))}):
        sources = [path] if path.is_file() else path.glob("*.cpp")
        lines = sum(len(source.read_text().splitlines()) for source in sources)
        if listed.get(path.stem) != lines:
            yield f"examples/README.md: {path.stem} has {lines} lines, not {listed.get(path.stem)}"
