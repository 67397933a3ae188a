# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The snippets of the documentation, and the program that makes each of them compile.

An HTML comment in front of a block fenced as ```cpp says what the block is:

    <!-- snippet: declarations -->  stands in front of main; later blocks of the page see it
    <!-- snippet: cuda -->          a body that nvcc alone compiles, with CUDA as the default space
    <!-- snippet: program -->       the program around the others, on the page AROUND alone

Without a comment, a block with an #include is a program, and any other block is a body: it replaces
the line PLACE of the program around it. Code of other libraries is fenced as ```c++.
"""

import pathlib
import re
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The page that shows the program around a snippet, and its heading there, to which pages link.
AROUND = "docs/guide/README.md"
ANCHOR = "README.md#the-program-around-a-snippet"
PLACE = "    // the snippet\n"
BLOCK = re.compile(r"(?:^<!-- snippet: (?P<kind>[a-z]+) -->\n)?^```cpp\n(?P<code>.*?)^```$"
                   r"(?P<output>\n\n(?:[^\n`]+\n\n)?```text\n.*?^```$)?", re.S | re.M)
# Further headers of snippets that use Thrust, which docs/guide/interoperability.md names.
THRUST = "".join(f"#include <thrust/{name}.h>\n" for name in (
    "device_ptr", "execution_policy", "functional", "reduce", "sort"))


class Block(typing.NamedTuple):
    kind: str          # "program", "body", or what the comment says
    line: int          # of the code's first line in the page
    code: str
    output: str        # that a program prints, or None
    declarations: str  # of earlier blocks of the page


def blocks_of(text):
    """The blocks of a page, in its order."""
    declarations = ""
    for found in BLOCK.finditer(text):
        code, output = found["code"], found["output"]
        kind = found["kind"] or ("program" if re.search("^#include", code, re.M) else "body")
        yield Block(kind, text.count("\n", 0, found.start("code")) + 1, code,
                    output and output.split("```text\n")[1].removesuffix("```"), declarations)
        if kind == "declarations":
            declarations += code + "\n"


class Around(typing.NamedTuple):
    """The program around a snippet, in the parts that a snippet separates."""
    includes: str
    head: str  # from main's first line to the snippet
    tail: str

    def program(self, block):
        """The whole program for a body."""
        headers = (THRUST + "\n" if "thrust::" in block.code else "") + self.includes
        code = "".join(f"    {line}" if line.strip() else line
                       for line in block.code.splitlines(keepends=True))
        return f"{headers}\n{block.declarations}{self.head}{code}{self.tail}"


def program_around():
    """The program around a snippet, as the page AROUND shows it."""
    text = (ROOT / AROUND).read_text(encoding="utf-8")
    code = next(block.code for block in blocks_of(text)
                if block.kind == "program" and PLACE in block.code)
    includes, _, main = code.partition("\nint main() {\n")
    head, _, tail = main.partition(PLACE)
    return Around(includes, f"int main() {{\n{head}", tail)
