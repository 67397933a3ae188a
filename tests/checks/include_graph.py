# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who includes whom: headers that include each other, and what public headers bring with them.

Files are pairs (path relative to the root, text). A header has the name that its users write after
`tandem/`: core/view.hpp, and config.hpp for include/tandem/config.hpp.
"""

import re

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COSTLY = ("cub/", "thrust/")
ANNOTATIONS = re.compile(r"backends/\w+/annotations\.hpp")


def name_of(path):
    return path.as_posix().removeprefix("include/tandem/")


def included(text):
    """The names of the headers that a file includes, tandem's as name_of gives them."""
    return [header.removeprefix("tandem/") for _, header in INCLUDE.findall(text)]


def graph(files):
    """The names that each file includes. The settings.hpp of a build includes the annotations of
    backends (cmake/settings.hpp.in), which the one in the source does not."""
    known = {name_of(path): included(text) for path, text in files}
    if "settings.hpp" in known:
        known["settings.hpp"] += filter(ANNOTATIONS.fullmatch, known)
    return known


def check_cycles(files):
    """That no header includes itself by way of others."""
    known = graph(files)
    state = {}

    def visit(name):
        state[name] = "open"
        for target in known[name]:
            if state.get(target) == "open":
                yield f"{name} and {target} include each other"
            elif target in known and target not in state:
                yield from visit(target)
        state[name] = "done"

    for name in known:
        if name not in state:
            yield from visit(name)


def check_costly(files, is_public):
    """That no header which users include, by its name, brings one of CUB or Thrust."""
    known = graph(files)
    waiting = [name for name in known if is_public(name)]
    reached = set()
    while waiting:
        name = waiting.pop()
        if name in reached or name not in known:
            continue
        reached.add(name)
        for header in known[name]:
            if header.startswith(COSTLY):
                yield f"{name}: includes <{header}>, though public headers include it"
            waiting.append(header)
