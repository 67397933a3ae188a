# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds headers that include each other, and the headers that public headers include.

Files are pairs (path relative to the root, text). A header's name is what users write after
`tandem/`: core/view.hpp, and config.hpp for include/tandem/config.hpp.
"""

import re

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COSTLY = ("cub/", "thrust/")
ANNOTATIONS = re.compile(r"backends/\w+/annotations\.hpp")


def name_of(path):
    return path.as_posix().removeprefix("include/tandem/")


def included(text):
    """Returns the names of the headers that a file includes; name_of gives those of tandem."""
    return [header.removeprefix("tandem/") for _, header in INCLUDE.findall(text)]


def graph(files):
    """Returns the names that each file includes. Unlike the settings.hpp in the source, a build's
    includes the annotations of backends (cmake/settings.hpp.in)."""
    known = {name_of(path): included(text) for path, text in files}
    if "settings.hpp" in known:
        known["settings.hpp"] += filter(ANNOTATIONS.fullmatch, known)
    return known


def check_cycles(files):
    """Checks that no header includes itself through others."""
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
    """Checks that no header that users include by name includes one of CUB or Thrust."""
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
