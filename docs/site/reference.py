# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference: a page for each public name, and the list of all."""

import html
import itertools
import operator
import posixpath
import re

import docstring
import markup
from topics import INTERNALS, TOPICS, anchor_of, topic_of, url_of


class Entry:
    """A public name and its declarations, in groups that share a docstring."""

    def __init__(self, name, declarations):
        self.name = name
        self.url = f"reference/{name.replace('::', '.')}.html"
        self.groups = []
        for one in declarations:
            if one.docstring or not self.groups:
                self.groups.append([])
            self.groups[-1].append(one)
        self.first = next((one for one in declarations if one.docstring), declarations[0])
        self.kind = self.first.kind
        self.topic = topic_of(name, self.first.header)
        self.brief = docstring.first_sentence(self.first.docstring)


def collect(declarations, warnings):
    """The entries, by name. A name on the line after another one's shares its docstring."""
    for before, one in itertools.pairwise(declarations):
        follows = before.header == one.header and one.begin <= before.end + 1
        if not one.docstring and follows and before.name != one.name:
            one.docstring = before.docstring
    by_name = {}
    for one in declarations:
        by_name.setdefault(one.name, []).append(one)
    entries = [Entry(name, group) for name, group in by_name.items()]
    warnings += [f"{one.first.header}:{one.first.line}: {one.name} has no docstring"
                 for one in entries if not one.first.docstring]
    return sorted(entries, key=lambda entry: entry.name.lower())


def source_link(pages, one, url):
    pages.markup.sources.add(one.header)
    target = pages.markup.relative(f"source/{one.header}.html#L{one.line}", url)
    return f'<a class="source" href="{target}">{one.header}:{one.line}</a>'


def render_group(pages, group, url):
    """Signatures that share a docstring, and what it says."""
    signatures = "\n\n".join(one.signature for one in group)
    words = docstring.render(group[0].docstring, signatures,
                             lambda text, plain=False: pages.markup.inline(text, url, plain),
                             markup.code_block)
    both = '<span class="badge">host and device</span>' if group[0].for_kernels else ""
    links = source_link(pages, group[0], url)
    return (f'<section class="declaration">{markup.code_block(signatures)}'
            f'<p class="meta">{both}{links}</p>{words}</section>')


def render_members(pages, one, url, headings):
    """The members in the order of the class: overloads together, and neighbouring fields, and
    others without a docstring."""
    def words(member, signatures):
        return docstring.render(member.docstring, signatures,
                                lambda text, plain=False: pages.markup.inline(text, url, plain),
                                markup.code_block)

    groups = []
    for member in one.members:
        last = groups[-1][0] if groups else None
        together = last and (last.name == member.name or
                             not last.docstring and last.kind == member.kind)
        is_field = last and last.kind == member.kind == "constant"
        if not is_field and (member.docstring or not together):
            groups.append([])
        groups[-1].append(member)
    parts = []
    for group in groups:
        anchor = f"{one.line}-{len(parts)}"
        listed = {name for _, _, name in headings}
        headings += [(3, anchor, name) for name in dict.fromkeys(member.name for member in group)
                     if name not in listed]
        if group[0].kind == "constant" and any(member.docstring for member in group):
            rows = "".join(f"<tr><th><code>{html.escape(member.signature, quote=False)}</code></th>"
                           f"<td>{words(member, member.signature)}</td></tr>" for member in group)
            body = f'<div class="scroll"><table class="rows">{rows}</table></div>'
        else:
            signatures = "\n".join(member.signature for member in group)
            body = markup.code_block(signatures) + words(group[0], signatures)
        parts.append(f'<div class="member" id="{anchor}">{body}</div>')
    return f'<h2 id="{one.line}-members">Members</h2>{"".join(parts)}' if parts else ""


def render_entry(pages, entry):
    header = entry.first.header
    include = header if header.startswith("include/") else f"include/tandem/{header}"
    if re.search("/detail/|^backends/|default_space", header):
        include = "tandem/tandem.hpp"
    is_name = entry.kind != "macro" and entry.name != "operators"
    shown = f"tandem::{entry.name}" if is_name else entry.name
    breakable = re.sub(r"(::|_)", r"\1<wbr>", html.escape(shown))
    anchor = pages.markup.relative(url_of(entry.topic), entry.url)
    parts = [f'<p class="crumbs"><a href="{anchor}">{entry.topic}</a> · {entry.kind}</p>',
             f'<h1 id="top">{breakable}</h1>',
             markup.code_block(f"#include <{include.removeprefix('include/')}>")]
    headings = []
    for group in entry.groups:
        parts.append(render_group(pages, group, entry.url))
        parts += [render_members(pages, one, entry.url, headings) for one in group
                  if not one.signature.startswith("template <>")]
    kind = "internal" if entry.topic == INTERNALS else entry.kind
    pages.add(entry.url, entry.name, "\n".join(parts), search=(kind, entry.brief),
              topic=entry.topic, headings=headings)


def table_of(pages, group, url):
    """The names of a group with the first sentences of their docstrings."""
    rows = "".join(
        f'<tr><th><a href="{pages.markup.relative(entry.url, url)}"><code>'
        f"{entry.name}</code></a></th><td>{pages.markup.inline(entry.brief, url)}</td></tr>"
        for entry in group)
    return f'<div class="scroll"><table class="rows">{rows}</table></div>'


def render_lists(pages, url, title, introduction, groups):
    """A page that lists the names of groups [(heading, entries)]."""
    parts = [f'<h1 id="top">{title}</h1><p>{introduction}</p>']
    headings = []
    for heading, group in groups:
        headings.append((2, anchor_of(heading), heading))
        parts.append(f'<h2 id="{anchor_of(heading)}">{heading}</h2>{table_of(pages, group, url)}')
    pages.add(url, title, "\n".join(parts), search=("page", introduction.split("<")[0]),
              headings=headings)


def render_index(pages, entries):
    """The list of what users write, and that of the internals by folder."""
    topics = [(topic, [entry for entry in entries if entry.topic == topic]) for topic, _ in TOPICS]
    internals = url_of(INTERNALS)
    render_lists(
        pages, "reference/index.html", "Reference",
        "Every public name, in namespace <code>tandem</code>. <code>#include "
        "&lt;tandem/tandem.hpp&gt;</code> includes all of them except those of "
        "<code>distributed.hpp</code>, <code>print.hpp</code>, <code>dlpack.hpp</code> and "
        "<code>require_in_kernel.hpp</code>. "
        "What backends and algorithms share is in "
        f'<a href="{pages.markup.relative(internals, "reference/index.html")}">internals</a>.',
        [(topic, group) for topic, group in topics if group])
    folder = operator.attrgetter("first.header")
    inside = sorted((entry for entry in entries if entry.topic == INTERNALS),
                    key=lambda entry: (posixpath.dirname(folder(entry)), entry.name.lower()))
    groups = itertools.groupby(inside, key=lambda entry: posixpath.dirname(folder(entry)))
    render_lists(
        pages, internals, INTERNALS,
        "Names that backends and algorithms share and programs do not write, by folder.",
        [(name, list(group)) for name, group in groups])
