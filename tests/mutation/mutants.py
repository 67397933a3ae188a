# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the faults that tests/mutation/run plants: every place in a C++ file that can have one.

A fault changes one token or deletes one statement. Comments, string literals, preprocessor lines,
template headers, constraints, static assertions, code for devices and the arguments of error
messages are left alone: faults there do not change what the library computes.
"""

import bisect
import dataclasses
import random
import re

COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
LITERALS = re.compile(r'"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'')
DIRECTIVES = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)

# What opens a part without faults, and where that part ends.
PARENTHESISED = re.compile(
    r"\b(?:static_assert|noexcept|decltype|alignas|requires|sizeof|operator|"
    r"fail\w*|throw [\w:]+|print\w*|fprintf)\s*(?=\()")
BRACED = re.compile(r"\bif constexpr \((?:detail::)?on_device\) (?=\{)|\brequires[^;{]*(?=\{)|"
                    r"\benum class [^;{]*(?=\{)")
HEADERS = re.compile(r"\btemplate\s*(?=<)")
STATEMENTS = re.compile(r"\b(?:concept|using|namespace|friend|extern|case|default|static_assert)\b"
                        r"[^;{]*[;{:]|\[\[[^\]]*\]\]|\boperator *[^\s\w(]+")

# (operator, pattern over the code, replacements). Binary operators have spaces around them, which
# tells comparisons from templates and products from pointers.
TOKENS = [
    ("comparison", r"(?<= )<=(?= )", ["<", ">"]),
    ("comparison", r"(?<= )>=(?= )", [">", "<"]),
    ("comparison", r"(?<= )<(?= )", ["<=", ">="]),
    ("comparison", r"(?<= )>(?= )", [">=", "<="]),
    ("comparison", r"(?<= )==(?= )", ["!="]),
    ("comparison", r"(?<= )!=(?= )", ["=="]),
    ("arithmetic", r"(?<= )\+(?= )", ["-"]),
    ("arithmetic", r"(?<= )-(?= )", ["+"]),
    ("arithmetic", r"(?<= )\*(?= )", ["+"]),
    ("arithmetic", r"(?<= )/(?= )", ["*"]),
    ("arithmetic", r"(?<= )%(?= )", ["/"]),
    ("arithmetic", r"(?<= )>>(?= )", ["<<"]),
    ("arithmetic", r"(?<= )<<(?= )", [">>"]),
    ("arithmetic", r"(?<= )\+=(?= )", ["-=", "="]),
    ("arithmetic", r"(?<= )-=(?= )", ["+="]),
    ("arithmetic", r"(?<= )\|=(?= )", ["&=", "="]),
    ("bits", r"(?<= )&(?= )", ["|"]),
    ("bits", r"(?<= )\|(?= )", ["&"]),
    ("bits", r"(?<= )\^(?= )", ["|"]),
    ("logic", r"(?<= )&&(?= )", ["||"]),
    ("logic", r"(?<= )\|\|(?= )", ["&&"]),
    ("logic", r"(?<=[ (])!(?=[\w(])", [""]),
    ("logic", r"\btrue\b", ["false"]),
    ("logic", r"\bfalse\b", ["true"]),
    ("sign", r"(?<=[(,=?:] )-(?=[\w(])|(?<=[(\[{])-(?=[\w(])|(?<=return )-(?=[\w(])", [""]),
    ("extreme", r"\b(?<!\.)min(?=[<(])", ["max"]),
    ("extreme", r"\b(?<!\.)max(?=[<(])", ["min"]),
    ("extreme", r"(?<=::)lowest(?=\()", ["max"]),
    ("extreme", r"(?<=::)max(?=\(\))", ["lowest"]),
    ("bound", r"(?<=\.)(?:begin|lo|first)\b(?!\()", {"begin": "end", "lo": "hi", "first": "last"}),
    ("bound", r"(?<=\.)(?:end|hi|last)\b(?!\()", {"end": "begin", "hi": "lo", "last": "first"}),
    ("stride", r"(?<=[._])(?:row|column|batch)\b(?!\()",
     {"row": "column", "column": "row", "batch": "row"}),
    ("constant", r"(?<![\w.'])\d+(?:u|l|ul|ull)?(?![\w.'])", "neighbours"),
    ("control", r"\b(?:break|continue)(?=;)", {"break": "continue", "continue": "break"}),
]
CONDITION = re.compile(r"\bif \(")
SWAPPED = re.compile(r"(?<=[(,=?:] )(\w+(?:\.\w+)?) ([-/<]|<=|<<|>>) (\w+(?:\.\w+)?)(?=[;,)])|"
                     r"(?<=[(])(\w+(?:\.\w+)?) ([-/<]|<=|<<|>>) (\w+(?:\.\w+)?)(?=[;,)])")
ARGUMENTS = re.compile(r"(?<=\w\()(\w+(?:\.\w+|\[\w+\])?), (\w+(?:\.\w+|\[\w+\])?)(?=\))")
# A statement that is a call, an assignment or a jump, but not a declaration and not a return of a
# value.
DELETED = re.compile(r"(?<=[;{})\s])((?:throw |return;|continue;|break;|[*(]*\w[\w:.\[\]<>*()-]*"
                     r"(?: [-+*/|&^]?= |\(|\+\+;)|\+\+|--)[^;{}]*;?)", re.DOTALL)
BEFORE_STATEMENT = re.compile(r"(?:[;{})]|\belse|\bdo)\s*$")
NO_STATEMENT = re.compile(r"(?:return|else|if|for|while|do|switch|case|const|auto|using|static|"
                          r"typedef|static_assert|noexcept|constexpr|explicit|operator)\b(?!;)")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One fault: `before` at `offset` of `path` becomes `after`."""
    path: str
    line: int
    column: int
    offset: int
    operator: str
    before: str
    after: str

    @property
    def name(self):
        return f"{self.path}:{self.line}:{self.column} {self.operator} [{self.after}]"

    def apply(self, text):
        return text[:self.offset] + self.after + text[self.offset + len(self.before):]

    def lines(self, text):
        """Returns the changed lines before and after the fault, without indentation."""
        start = text.rfind("\n", 0, self.offset) + 1
        end = text.find("\n", self.offset + len(self.before))
        changed = text[start:self.offset] + self.after + text[self.offset + len(self.before):end]
        return tuple(" ".join(part.split()) for part in (text[start:end], changed))


def blank(text, spans):
    """Returns `text` with spaces in place of `spans`, which preserves offsets."""
    for start, end in spans:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def closing(text, start):
    """Returns the position after the bracket that closes the one at `start`."""
    opened = text[start]
    closed = {"(": ")", "{": "}", "<": ">"}[opened]
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == opened) - (text[i] == closed)
        if depth == 0:
            return i + 1
    return len(text)


def code_of(text):
    """Returns statements only: no comments, literals or preprocessor lines."""
    for pattern in (COMMENTS, LITERALS, DIRECTIVES):
        text = blank(text, [match.span() for match in pattern.finditer(text)])
    return text


def without(code, *patterns):
    """Blanks what each pattern opens, up to the closing bracket."""
    for pattern in patterns:
        while match := pattern.search(code):
            code = blank(code, [(match.start(), closing(code, match.end()))])
    return code


def expressions_of(code):
    """Blanks code that is not run, and messages."""
    code = without(code, HEADERS, PARENTHESISED, BRACED)
    return blank(code, [match.span() for match in STATEMENTS.finditer(code)])


def replacements(rule, found):
    if rule == "neighbours":
        digits = found.rstrip("ul")
        if len(digits) > 1 and digits[0] == "0":
            return []
        suffix = found[len(digits):]
        return [f"{value}{suffix}" for value in (int(digits) + 1, int(digits) - 1) if value >= 0]
    return [rule[found]] if isinstance(rule, dict) else rule


def faults(code):
    """Yields (operator, start, end, replacement) of every fault."""
    expressions = expressions_of(code)
    for operator, pattern, rule in TOKENS:
        for match in re.finditer(pattern, expressions):
            for after in replacements(rule, match[0]):
                yield operator, *match.span(), after
    for match in CONDITION.finditer(expressions):
        end = closing(code, match.end() - 1)
        yield "negated", match.end() - 1, end, f"(!{code[match.end() - 1:end]})"
    for match in SWAPPED.finditer(expressions):
        left, sign, right = [group for group in match.groups() if group]
        yield "swapped", *match.span(), f"{right} {sign} {left}"
    for match in ARGUMENTS.finditer(expressions):
        yield "swapped", *match.span(), f"{match[2]}, {match[1]}"
    yield from deletions(without(code, BRACED))


def deletions(code):
    """Yields the statements that may be deleted, each up to its semicolon."""
    for match in DELETED.finditer(code):
        start, end = match.start(), code.find(";", match.start())
        statement = code[start:end]
        whole = statement.count("(") == statement.count(")") and not set("{}") & set(statement)
        if (whole and BEFORE_STATEMENT.search(code[:start][-200:])
                and not NO_STATEMENT.match(match[0])):
            yield "deleted", start, end, ""


def mutants_of(path, text):
    """Yields every mutant of a file, in file order."""
    code = code_of(text)
    starts = [0] + [match.end() for match in re.finditer("\n", text)]
    found = []
    for operator, start, end, after in faults(code):
        before = text[start:end]
        if before.split() and before != after:
            line = bisect.bisect_right(starts, start)
            column = start - starts[line - 1] + 1
            found.append(Mutant(path, line, column, start, operator, before, after))
    return sorted(set(found), key=lambda mutant: (mutant.offset, mutant.operator, mutant.after))


def choose(by_file, seed):
    """Yields all mutants in an order that the seed fixes: one of each file, the next of each file,
    ...

    Any beginning of the list is a balanced sample of the files."""
    generator = random.Random(seed)
    for mutants in by_file.values():
        generator.shuffle(mutants)
    rounds = max(map(len, by_file.values()), default=0)
    return [mutants[i] for i in range(rounds) for mutants in by_file.values() if i < len(mutants)]
