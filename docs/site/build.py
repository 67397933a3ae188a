# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the site: docs/build runs this. Warnings fail it, after all of them are printed."""

import argparse
import pathlib
import re
import shutil
import sys
import time

import check
import declarations
import layout
import markup
import prose
import reference
import synonyms
import topics

ROOT = declarations.ROOT
# The order of the menu: what users read, then what contributors read.
MENU = ("Start", "Guide", "Topics", "Reference", "Project", "Contributing", "Decisions",
        "Lab notebook")
UNLISTED = re.compile(r"perf/results/.*/")  # pages that no menu names


def title_of(path):
    if path == "README.md":
        return "Overview"
    found = re.search(r"^# (.+)$", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    return re.sub(r"[`*]", "", found.group(1)) if found else path


def sections_of(files):
    """The navigation's sections of Markdown files, each a list of (title, path)."""
    rules = (("Start", r"README\.md|docs/quick-reference\.md|examples/README\.md"),
             ("Guide", r"docs/guide/"),
             ("Contributing", r"docs/(adding|design|testing)[^/]*\.md|CONTRIBUTING\.md"),
             ("Topics", r"docs/[^/]+\.md"), ("Decisions", r"docs/decisions/"),
             ("Lab notebook", r"docs/lab/"), ("Project", r"[A-Z]+\.md|perf/|tests/|"))
    sections = {title: [] for title, _ in rules}
    for path in files:
        section = next(title for title, pattern in rules if re.match(pattern, path))
        sections[section].append((title_of(path), path))
    for title, group in sections.items():
        order = reading_order(group)
        group.sort(key=lambda one: order.get(one[1], len(order)))
    return {title: group for title, group in sections.items() if group}


def reading_order(group):
    """The order in which a folder's README names its pages; itself first, others by their path."""
    paths = sorted((path for _, path in group), key=lambda path: (not path.endswith("README.md"),
                                                                  path))
    readmes = [path for path in paths if re.search(r"(guide|lab|decisions)/README", path)]
    readme = readmes[0] if readmes else None
    if readme:
        text = (ROOT / readme).read_text(encoding="utf-8")
        named = [str(pathlib.PurePosixPath(readme).parent / link)
                 for link in re.findall(r"\]\(([\w-]+\.md)", text)]
        paths = list(dict.fromkeys([readme, *(path for path in named if path in paths), *paths]))
    return {path: at for at, path in enumerate(paths)}


def add_documents(pages):
    """A page for every Markdown file of the repository."""
    files = sorted(path for path in pages.markup.tracked
                   if path.endswith(".md") and not path.startswith(".github/"))
    found = sections_of(files)
    for section in MENU:
        links = [(title, markup.url_of_page(path))
                 for title, path in found.get(section, []) if not UNLISTED.match(path)]
        if section == "Contributing":
            links.append((topics.INTERNALS, topics.url_of(topics.INTERNALS)))
        pages.sections.append((section, links))
    for group in found.values():
        for _, path in group:
            url = markup.url_of_page(path)
            text = (ROOT / path).read_text(encoding="utf-8")
            title, body, headings = pages.markup.page(text, path, url)
            pages.add(url, title or path, body, search=("page", ""), headings=headings)


def add_folders(pages):
    """A list of files for each folder that has no README and to which a page links."""
    for folder in sorted(pages.markup.folders):
        url = f"source/{folder}/index.html"
        files = sorted(path for path in pages.markup.tracked
                       if str(pathlib.PurePosixPath(path).parent) == folder)
        items = "".join(f'<li><a href="{pages.markup.relative(target, url)}">{path}</a></li>'
                        for path in files if (target := pages.markup.url_of_file(path)))
        pages.add(url, folder, f'<h1 id="top">{folder}</h1><ul>{items}</ul>', search=("source", ""))


def add_sources(pages):
    """A page for every file to which another page links."""
    for path in sorted(pages.markup.sources):
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            pages.markup.warnings.append(f"{path} is linked and is no text")
            continue
        suffix = pathlib.PurePosixPath(path).suffix
        language = {".hpp": "cpp", ".cpp": "cpp", ".cuh": "cuda", ".cu": "cuda", ".py": "python",
                    ".cmake": "cmake", ".sh": "bash", ".txt": "cmake"}.get(suffix, "text")
        lines = markup.colour(text, language).rstrip("\n").split("\n")
        code = "\n".join(f'<span id="L{i}">{line}</span>' for i, line in enumerate(lines, 1))
        heading = path.replace("/", "/<wbr>")
        pages.add(f"source/{path}.html", path, f'<h1 id="top">{heading}</h1>'
                  f'<pre class="lines"><code>{code}</code></pre>', search=("source", ""))


def main():
    parser = argparse.ArgumentParser(prog="docs/build", description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/site")
    parser.add_argument("--repository", metavar="ADDRESS", help="to which the first page links")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    start = time.monotonic()
    if out.exists():
        if not (out / "search-index.js").exists():
            parser.error(f"{out} exists and is no site that this program made")
        shutil.rmtree(out)

    entries_of = declarations.Reader(out.parent / "site-headers")
    warnings = []
    entries = reference.collect(entries_of.declarations, warnings)
    names = {entry.name: entry.url for entry in entries}
    pages = layout.Pages(markup.Markup(names))
    for entry in entries:
        pages.topics.setdefault(entry.topic, []).append(entry)
    add_documents(pages)
    for entry in entries:
        reference.render_entry(pages, entry)
    reference.render_index(pages, entries)
    pages.synonyms = synonyms.collect(names, set(pages.pages), warnings)
    pages.add_front(arguments.repository)
    add_folders(pages)
    add_sources(pages)
    pages.write(out)

    warnings += pages.markup.warnings
    warnings += check.missing_names(names)
    warnings += check.undescribed_parameters(entries)
    warnings += check.missing_complexities(entries)
    quick = ROOT / "docs/quick-reference.md"
    warnings += check.unknown_names(quick, names) if quick.exists() else []
    warnings += check.examples_not_listed()
    warnings += check.unrendered_markup(pages.pages)
    warnings += check.broken_links(out)
    warnings += check.wrong_searches(out, names)
    warnings += prose.accents(ROOT, pages.markup.tracked)
    for warning in warnings:
        print(f"docs/build: {warning}", file=sys.stderr)
    print(f"{len(pages.pages)} pages, {len(entries)} names, {len(warnings)} warnings, "
          f"{time.monotonic() - start:.1f} s: {out}/index.html")
    return 1 if warnings else 0


if __name__ == "__main__":
    sys.exit(main())
