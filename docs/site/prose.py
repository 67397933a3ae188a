# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts two habits in comments and documents: "where" in place of if or when, and "of its own" in
place of its. No sentence is wrong because of them; a folder with more than the limits reads badly."""

import re

# Per 1000 words. Comments of CUB, Kokkos, Highway and RMM have 0.2 to 1.2 and at most 0.02.
LIMITS = {"where": (re.compile(r"\bwhere\b", re.IGNORECASE), 2.0),
          "of its own": (re.compile(r"\bof\s+(?:its|their)\s+own\b", re.IGNORECASE), 0.1)}
FOLDERS = ("core", "backends", "algorithms", "distributed", "include", "tests", "perf", "examples",
           "cmake")
GENERATED = re.compile(r"perf/results/")
WORST = 3  # files that a line names

WORD = re.compile(r"[A-Za-z][A-Za-z']*")
FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`]*`")
COMMENT = {**dict.fromkeys((".hpp", ".cpp", ".cuh", ".cu"), re.compile(r"(?<![:\"])//+(.*)")),
           **dict.fromkeys((".py", ".cmake", ".txt"), re.compile(r"(?<!\S)#+(?!!)(.*)"))}


def prose_of(path, text):
    """The words of a document, or of a source's comments; no code."""
    suffix = path[path.rfind("."):]
    if suffix == ".md":
        return CODE.sub("", FENCE.sub("", text))
    if suffix in COMMENT and (suffix != ".txt" or path.endswith("CMakeLists.txt")):
        return CODE.sub("", "\n".join(COMMENT[suffix].findall(text)))
    return ""


def group_of(path):
    """The group whose words are counted together: the documents, or the comments of a folder."""
    if path.endswith(".md"):
        return "documents"
    folder = path.split("/")[0]
    return f"comments in {folder}" if folder in FOLDERS else None


def excess(phrase, counts, words):
    """What is too many in a group, and the files that have most of it; empty within the limit."""
    limit = LIMITS[phrase][1]
    total = sum(counts.values())
    if total <= max(1, limit * words / 1000):  # a single occurrence is never too many
        return ""
    worst = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:WORST]
    return (f'"{phrase}" {1000 * total / words:.2f} times per 1000 words, limit {limit}, most in '
            + ", ".join(f"{path} ({count})" for path, count in worst))


def accents(root, paths):
    """A line per group with more than a limit."""
    words, counts = {}, {}
    for path in sorted(paths):
        group = group_of(path)
        if not group or GENERATED.match(path):
            continue
        prose = prose_of(path, (root / path).read_text(encoding="utf-8", errors="ignore"))
        words[group] = words.get(group, 0) + len(WORD.findall(prose))
        for phrase, (pattern, _) in LIMITS.items():
            if found := len(pattern.findall(prose)):
                counts.setdefault(group, {}).setdefault(phrase, {})[path] = found
    for group, phrases in sorted(counts.items()):
        found = [excess(phrase, files, words[group]) for phrase, files in sorted(phrases.items())]
        if any(found):
            yield f"{group}: {'; '.join(filter(None, found))}"
