# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The frame around every page: navigation, contents, search. Writes the files of the site."""

import html
import json
import pathlib
import re
import shutil

from pygments import formatters

from declarations import ROOT
from topics import INTERNALS, TOPICS, url_of

HERE = pathlib.Path(__file__).resolve().parent
# Its ids begin with `site-`, so that none is the anchor of a heading such as "Results".
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · tandem</title>
<script>
try {{ document.documentElement.dataset.theme = localStorage.theme || "" }} catch {{}}
</script>
<link rel="stylesheet" href="{root}site.css">
</head>
<body data-root="{root}">
<a class="skip" href="#site-content">Skip to the text</a>
<header>
<button id="site-menu" aria-label="Contents" aria-expanded="false">☰</button>
<a class="brand" href="{root}index.html">tandem <small>{version}</small></a>
<input id="site-search" type="search" placeholder="Search ( / )" aria-label="Search"
 autocomplete="off">
<button id="site-theme" aria-label="Light or dark">◐</button>
</header>
<ol id="site-results" hidden></ol>
<div class="columns">
<nav aria-label="Site">{navigation}</nav>
<main id="site-content">{body}</main>
{contents}
</div>
<script src="{root}search-index.js" defer></script>
<script src="{root}search.js" defer></script>
<script src="{root}site.js" defer></script>
</body>
</html>
"""


# What the results of a search call the pages of a folder.
KINDS = {"guide": "guide", "lab": "lab notebook", "decisions": "decision"}


def plain_text(body):
    """The words of a page or a section, without its heading and its code."""
    text = re.sub(r"<h1.*?</h1>|^[^<]*</h[23]>|<details class=\"program\">.*?</details>|"
                  r"<pre.*?</pre>|<[^>]+>", " ", body, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(text)).strip()


class Pages:
    """Collects pages, then writes them."""

    def __init__(self, markup):
        self.markup = markup
        self.pages = {}      # url -> what add() was given
        self.sections = []   # (title, [(text, url)]) of the menu; "Reference" has topics
        self.topics = {}     # topic -> entries of the reference
        self.synonyms = []   # [term, [url]] of the search
        text = (ROOT / "include/tandem/version.hpp").read_text(encoding="utf-8")
        self.version = re.search(r'version = "([^"]+)"', text).group(1)

    def add(self, url, title, body, search, topic="", headings=()):
        self.pages[url] = {"title": title, "body": body, "search": search, "topic": topic,
                           "headings": [one for one in headings if one[0] in (2, 3)]}

    def item(self, text, target, url):
        here = ' aria-current="page"' if target == url else ""
        link = self.markup.relative(target, url)
        return f'<li><a href="{link}"{here}>{html.escape(text)}</a></li>'

    def navigation(self, url, topic):
        parts = []
        for title, links in self.sections:
            if title == "Reference":
                parts.append(self.reference_navigation(url, topic))
                continue
            inside = any(target == url for _, target in links)
            inside = inside or topic == INTERNALS and (INTERNALS, url_of(INTERNALS)) in links
            is_open = " open" if inside or title in ("Start", "Guide") else ""
            items = "".join(self.item(text, target, url) for text, target in links)
            parts.append(f"<details{is_open}><summary>{title}</summary><ul>{items}</ul></details>")
        return "".join(parts)

    def reference_navigation(self, url, topic):
        items = ""
        for title, _ in TOPICS:
            if title not in self.topics:
                continue
            items += self.item(title, url_of(title), url)
            if title == topic:
                names = "".join(self.item(entry.name, entry.url, url)
                                for entry in self.topics[title])
                items += f"<li><ul>{names}</ul></li>"
        is_internal = topic == INTERNALS or url == url_of(INTERNALS)
        is_inside = url.startswith("reference/") and not is_internal
        is_open = " open" if is_inside or url == "index.html" else ""
        return (f"<details{is_open}><summary>Reference</summary><ul>"
                f'{self.item("All names", "reference/index.html", url)}{items}</ul></details>')

    def add_front(self, repository):
        """What the first page says about the site: version and repository above, contents below."""
        page = self.pages["index.html"]
        links = [f"Version {self.version}", '<a href="CHANGELOG.html">changes</a>',
                 '<a href="#site-contents">contents</a>']
        if repository:
            links.append(f'<a href="{html.escape(repository)}">repository</a>')
        groups = [(title, [("All names", "reference/index.html")] +
                   [(topic, url_of(topic)) for topic, _ in TOPICS if topic in self.topics])
                  if title == "Reference" else (title, links) for title, links in self.sections]
        rows = "".join(
            f"<tr><th>{title}</th><td>" + " · ".join(
                f'<a href="{target}">{html.escape(text)}</a>' for text, target in links)
            + "</td></tr>" for title, links in groups if title not in ("Decisions", "Lab notebook"))
        page["body"] = page["body"].replace(
            "</h1>", f'</h1><p class="front">{" · ".join(links)}</p>', 1)
        page["body"] += ('<h2 id="site-contents">Contents</h2>'
                         f'<div class="scroll"><table class="rows">{rows}</table></div>')
        page["headings"].append((2, "site-contents", "Contents"))

    def contents(self, headings):
        if len(headings) < 2:
            return ""
        items = "".join(f'<li class="level{level}"><a href="#{anchor}">{html.escape(text)}</a></li>'
                        for level, anchor, text in headings)
        return f'<aside aria-label="On this page"><p>On this page</p><ul>{items}</ul></aside>'

    def search_index(self):
        """Rows [title, url, kind, brief, text]; each section of a page is a row."""
        rows = []
        for url, page in self.pages.items():
            if url.startswith("source/"):
                continue
            kind, brief = page["search"]
            anchors = {anchor: text for _, anchor, text in page["headings"]}
            parts = re.split(r'<h[23] id="([^"]+)">', page["body"])
            is_page = kind == "page"
            if is_page:
                kind = KINDS.get(url.split("/")[0], kind)
            rows.append([page["title"], url, kind, brief, plain_text(parts[0])[:1500]])
            if not is_page:
                rows[-1][4] = plain_text(page["body"])[:1500]
                continue
            rows += [[f"{page['title']}: {anchors[anchor]}", f"{url}#{anchor}", kind, "",
                      plain_text(body)[:1500]]
                     for anchor, body in zip(parts[1::2], parts[2::2]) if anchor in anchors]
        return rows

    def write(self, out):
        for url, page in self.pages.items():
            root = "../" * url.count("/")
            text = PAGE.format(title=html.escape(page["title"]), root=root, body=page["body"],
                               version=self.version,
                               navigation=self.navigation(url, page["topic"]),
                               contents=self.contents(page["headings"]))
            path = out / url
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for path in self.markup.copies:
            (out / "files" / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, out / "files" / path)
        index = json.dumps(self.search_index(), ensure_ascii=False, separators=(",", ":"))
        synonyms = json.dumps(self.synonyms, ensure_ascii=False, separators=(",", ":"))
        (out / "search-index.js").write_text(
            f"const searchIndex = {index};\nconst searchSynonyms = {synonyms};\n", encoding="utf-8")
        for script in ("search.js", "site.js"):
            shutil.copyfile(HERE / script, out / script)
        (out / "site.css").write_text(self.style(), encoding="utf-8")

    @staticmethod
    def style():
        """style.css, and the colours of code for both schemes."""
        def rules(style, prefix):
            lines = formatters.HtmlFormatter(style=style).get_style_defs(prefix).splitlines()
            return "\n".join(line for line in lines if line.startswith(f"{prefix} ."))
        dark = rules("github-dark", ":root:not([data-theme=light]) pre")
        forced = rules("github-dark", ":root[data-theme=dark] pre")
        return "\n".join([(HERE / "style.css").read_text(encoding="utf-8"), rules("xcode", "pre"),
                          f"@media (prefers-color-scheme: dark) {{\n{dark}\n}}", forced, ""])
