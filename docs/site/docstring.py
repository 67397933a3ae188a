# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The form of docstrings: paragraphs, rows of a label and its text, and indented samples of code.

    A sentence that stands alone.

      a_sample(of, code);

    @param x     rank-1 view, any stride
    Errors       argument_error when ...
    Source: a paper
"""

import re

SENTENCES = ("Errors", "Error", "Returns", "Source", "Agreement", "Exceptions", "Complexity",
             "Batches", "Note", "Throws", "Example")
ROW = re.compile(r"(?:@param\s+)?(?P<label>[A-Za-z_.][\w.,/ <>()=*-]{0,38}?)\s{2,}(?P<text>\S.*)")
PARAMETER = re.compile(r"@t?param\s+(?P<label>\w[\w., ]*?)\s{2,}(?P<text>\S.*)")
COLON = re.compile(rf"(?P<label>{'|'.join(SENTENCES)}):\s+(?P<text>\S.*)")
MODE = re.compile("Asynchronous|Blocks|Waits|Reads|Writes|Moves")  # how a call runs
CALLS = re.compile(r"Calls (\w+)\(")  # what a call on the default space passes on
REFERS = re.compile(r"\b(?:as for|those of|as above)\b")


def indent_of(line):
    return len(line) - len(line.lstrip())


def parse(text):
    """Blocks ("paragraph", text), ("code", text) and ("row", label, text, is_parameter)."""
    blocks, after_break = [], True
    for line in text.splitlines():
        last = blocks[-1] if blocks else None
        if not line.strip():
            if last and last[0] == "code":
                last[1] += "\n"
            after_break = True
            continue
        if indent_of(line) >= 2:
            if last and last[0] == "code":
                last[1] += "\n" + line
            elif after_break or not last or last[1].rstrip().endswith(":"):
                blocks.append(["code", line])
            else:
                last[-1 if last[0] == "paragraph" else 2] += " " + line.strip()
        else:
            row = PARAMETER.match(line) or ROW.match(line) or COLON.match(line)
            if row:
                blocks.append(["row", row["label"].rstrip(":"), row["text"],
                               line.startswith(("@param", "@tparam")),
                               COLON.match(line) is not None])
            elif last and not after_break and last[0] == "paragraph":
                last[1] += " " + line.strip()
            elif last and not after_break and last[0] == "row" and last[4] and not (
                    last[2].endswith(".") and MODE.match(line)):
                last[2] += " " + line.strip()
            else:
                blocks.append(["paragraph", line.strip()])
        after_break = False
    for block in blocks:
        if block[0] == "code":
            lines = block[1].strip("\n").splitlines()
            least = min(indent_of(line) for line in lines if line.strip())
            block[1] = "\n".join(line[least:] for line in lines)
    return blocks


def first_sentence(text):
    """The docstring's first sentence, for lists."""
    blocks = parse(text)
    if not blocks or blocks[0][0] != "paragraph":
        return ""
    found = re.match(r"(.+?(?:[.:;](?=\s+[A-Z`])|[^.(]\.(?=\s+[\w:]+[({:])|$))", blocks[0][1])
    return (found.group(1) if found else blocks[0][1]).rstrip(".:;") + "."


def has_complexity(text):
    """Whether a row of the docstring states the complexity."""
    return any(block[:2] == ["row", "Complexity"] for block in parse(text))


def tells_complexity(name, text, told):
    """Whether the docstring of a function states its complexity, or refers to a function whose name
    is in `told`: to the one that it calls, or to another one of the same name. A row of errors that
    names another function is no such reference."""
    if has_complexity(text):
        return True
    called = CALLS.match(text)
    if called:
        return called[1] in told
    words = [block[1 if block[0] == "paragraph" else 2] for block in parse(text)
             if block[0] == "paragraph" or block[0] == "row" and not block[1].startswith("Error")]
    return name in told and any(REFERS.search(word) for word in words)


def is_parameter(label, signatures):
    """Whether a row's label names parameters, of a function or of a template."""
    if label.islower():
        return True
    words = re.findall(r"\w+", label)
    known = all(re.search(rf"\b{re.escape(word)}\b", signatures) for word in words)
    return bool(words) and label not in SENTENCES and known


def render(text, signatures, inline, code):
    """HTML of a docstring; `inline` renders a line of text and `code` a sample."""
    parts, rows = [], []

    def flush():
        if rows:
            cells = "".join(f'<tr class="{kind}"><th>{label}</th><td>{words}</td></tr>'
                            for kind, label, words in rows)
            parts.append(f'<div class="scroll"><table class="rows">{cells}</table></div>')
            rows.clear()

    for block in parse(text):
        if block[0] == "row":
            parameter = block[3] or is_parameter(block[1], signatures)
            label = f"<code>{inline(block[1], True)}</code>" if parameter else inline(block[1])
            rows.append(("parameter" if parameter else "sentence", label, inline(block[2])))
            continue
        flush()
        if block[0] == "code":
            parts.append(code(block[1]))
        else:
            parts.append(f"<p>{inline(block[1])}</p>")
    flush()
    return "\n".join(parts)
