# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HTML of Markdown, of code, and of a docstring's line, with links that hold within the site."""

import html
import os
import posixpath
import re
import subprocess

import markdown_it
import pygments
from pygments import formatters, lexers, util

import snippets
from declarations import ROOT

WORD = re.compile(r"`([^`]+)`|(?<![\w/.@-])((?:docs|core|algorithms|distributed|backends|perf|tests|examples)/"
                  r"[\w./-]*\w)|(?<![\w./])([a-z]+(?:_[a-z0-9]+)+)(?![\w/*]|\.[a-z])")
# Another library's code, in a paragraph that names it, and ours for the same.
PAIR = re.compile(r"(<p>[^<]{1,40}:</p>\s*<pre>(?:(?!</pre>).)*</pre>)\s*(<p>tandem:</p>\s*"
                  r"(?:<!--[^>]*-->\s*)?<pre>(?:(?!</pre>).)*</pre>"
                  r"(?:\s*<details class=\"program\">(?:(?!</details>).)*</details>)?)", re.DOTALL)
# Code and cells that are short enough to stay on one line.
WHOLE = re.compile(r"<(td|code)( style=[^>]*)?>([^<\s]{1,50}|[^<\n]{1,12})</\1>")
# Code in a sentence or a cell, and the places at which it may break.
INLINE = re.compile(r"(?<!<pre>)<code([^>]*)>([^<]*)</code>")
BREAK = re.compile(r"(::|[_(,/=]|(?<!&lt)(?<!&gt)(?<!&amp)(?<!&quot);)(?=\w\w)")
LEXERS = {"c++": "cpp", "cuda": "cuda", "text": "text", "": "text", "console": "console"}


def breakable(code):
    """An INLINE that may break."""
    attributes, text = code.groups()
    return f"<code{attributes}>" + BREAK.sub(r"\1<wbr>", text) + "</code>"


def slug(heading):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def colour(code, language):
    """HTML of code, without an element around it."""
    try:
        lexer = lexers.get_lexer_by_name(LEXERS.get(language, language), stripnl=False)
    except util.ClassNotFound:
        lexer = lexers.get_lexer_by_name("text")
    return pygments.highlight(code, lexer, formatters.HtmlFormatter(nowrap=True))


def code_block(code, language="cpp"):
    return f"<pre><code>{colour(code.rstrip(), language)}</code></pre>"


def whole_programs(text):
    """The folded program for each snippet of a page, by the line of the snippet; for pages that
    link to the program around them, whose snippets check_snippets compiles."""
    if snippets.ANCHOR not in text:
        return {}
    around = snippets.program_around()
    return {block.line: '<details class="program"><summary>whole program</summary>'
                        f"{code_block(around.program(block))}</details>"
            for block in snippets.blocks_of(text) if block.kind in ("body", "cuda")}


def url_of_page(path):
    """The url of the page of a Markdown file: guide/index.html for docs/guide/README.md."""
    if path == "README.md":
        return "index.html"
    return re.sub(r"(^|/)README\.md$", r"\1index.md", path.removeprefix("docs/"))[:-2] + "html"


def tracked_files():
    """The paths of the repository's files; if git cannot tell, all files outside builds."""
    found = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=False,
                           capture_output=True, text=True)
    if found.returncode == 0:
        return {path for path in found.stdout.splitlines() if (ROOT / path).is_file()}
    paths = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return {str(path) for path in paths if path.parts[0] not in ("build", ".git")}


class Markup:
    """Renders text for the page at `url` and notes which files of the repository it shows."""

    def __init__(self, names):
        self.names = names          # public name -> url of its page
        self.tracked = tracked_files()
        self.sources, self.folders, self.copies, self.warnings = set(), set(), set(), []

    def relative(self, target, url):
        path, _, fragment = target.partition("#")
        found = posixpath.relpath(path, posixpath.dirname(url) or ".")
        return found + (f"#{fragment}" if fragment else "")

    def url_of_file(self, path):
        """The site's url for a file of the repository; None if there is none."""
        if path not in self.tracked:
            readme = f"{path.rstrip('/')}/README.md" if path else "README.md"
            if readme in self.tracked:
                return url_of_page(readme)
            inside = [one for one in self.tracked if one.startswith(f"{path}/")]
            if inside:
                self.folders.add(path)
            return f"source/{path}/index.html" if inside else None
        if path.endswith(".md"):
            return url_of_page(path)
        if re.search(r"\.(png|svg|html|json|pdf)$", path):
            self.copies.add(path)
            return f"files/{path}"
        self.sources.add(path)
        return f"source/{path}.html"

    def link(self, target, path, url):
        """A link of the Markdown file `path`, for its page at `url`; None if it is one of GitHub's
        pages about the repository, which the site cannot reach."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        if target.startswith("../../security/"):
            return None
        file, _, fragment = target.partition("#")
        found = self.url_of_file(os.path.normpath(posixpath.join(posixpath.dirname(path), file)))
        if not found:
            self.warnings.append(f"{path}: {target} is no file of the repository")
            return target
        return self.relative(found + (f"#{fragment}" if fragment else ""), url)

    def link_name(self, text, url):
        """A link to the page of the public name that `text` is or calls, or nothing."""
        name = re.match(r"(?:tandem::)?([A-Za-z_][\w:]*)", text)
        target = name and self.names.get(name.group(1))
        if not target or target == url or not re.fullmatch(r"[\w:]+(<.*>)?(\(.*\)|\{.*\})?", text):
            return None
        return f'<a href="{self.relative(target, url)}"><code>{html.escape(text)}</code></a>'

    def inline(self, text, url, plain=False):
        """A line of a docstring: code in backquotes, and links for names and files."""
        if plain:
            return html.escape(text, quote=False)
        parts, last = [], 0
        for found in WORD.finditer(text):
            parts.append(html.escape(text[last:found.start()], quote=False))
            last = found.end()
            code, file, name = found.groups()
            linked = self.link_name(code or name, url) if not file else None
            if file:
                where = self.url_of_file(file)
                shown = html.escape(file)
                linked = f'<a href="{self.relative(where, url)}">{shown}</a>' if where else shown
            elif not linked:
                linked = f"<code>{html.escape(code, quote=False)}</code>" if code else name
            parts.append(linked)
        return "".join(parts) + html.escape(text[last:], quote=False)

    def page(self, text, path, url):
        """Title, HTML and the headings (level, anchor, text) of a Markdown file."""
        parser = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
        tokens = parser.parse(text)
        headings, used, title = [], {}, ""
        for at, token in enumerate(tokens):
            if token.type == "heading_open":
                words = "".join(child.content for child in tokens[at + 1].children)
                anchor = slug(words)
                used[anchor] = used.get(anchor, -1) + 1
                anchor += f"-{used[anchor]}" if used[anchor] else ""
                token.attrSet("id", anchor)
                headings.append((int(token.tag[1]), anchor, words))
                title = title or words
            for child in token.children or ():
                self.adapt(child, path, url)
        programs = whole_programs(text)
        parser.add_render_rule("fence", lambda _, all, i, *__: code_block(
            all[i].content, all[i].info.split(" ")[0]) + programs.get(all[i].map[0] + 2, ""))
        parser.add_render_rule("table_open", lambda *_: '<div class="scroll"><table>')
        parser.add_render_rule("table_close", lambda *_: "</table></div>")
        parser.add_render_rule("code_inline", lambda _, all, i, *__: self.inline_code(
            all[i].content, url, is_linked=self.in_link(all, i)))
        body = parser.renderer.render(tokens, parser.options, {})
        body = PAIR.sub(r'<div class="pair"><div>\1</div><div>\2</div></div>', body)
        body = WHOLE.sub(r'<\1 class="whole"\2>\3</\1>', body)
        return title, INLINE.sub(breakable, body), headings

    def inline_code(self, text, url, is_linked):
        linked = None if is_linked else self.link_name(text, url)
        return linked or f"<code>{html.escape(text, quote=False)}</code>"

    @staticmethod
    def in_link(tokens, at):
        return sum(token.nesting for token in tokens[:at]
                   if token.type in ("link_open", "link_close")) > 0

    def adapt(self, token, path, url):
        for attribute in ("href", "src"):
            if token.attrGet(attribute):
                target = self.link(token.attrGet(attribute), path, url)
                if target:
                    token.attrSet(attribute, target)
                else:
                    del token.attrs[attribute]
