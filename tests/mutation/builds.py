# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds of the library without faults, and single test files built again with one.

A fault is an overlay: a directory with the one changed file, which comes first on the include path.
Only the objects that include the file are compiled again, and only the library's objects that
changed are linked before its archive.
"""

import collections
import dataclasses
import filecmp
import json
import os
import pathlib
import shlex
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HARNESS = "tests/support/main.cpp"
COMPILER_TIMEOUT = 600  # s; templates without an end are stopped by the compiler's own limits


@dataclasses.dataclass
class Outcome:
    """What a command did: `status` is None where it ran out of time."""
    status: int | None
    output: str
    seconds: float


def execute(command, directory, limit, environment=None):
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.STDOUT, errors="replace", start_new_session=True,
                               env={**os.environ, **(environment or {})})
    try:
        output, _ = process.communicate(timeout=limit)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        output, _ = process.communicate()
        status = None
    return Outcome(status, output, time.monotonic() - start)


class Build:
    """A CMake build of the CPU's backends. `library_flags` serve all of it, `test_flags` the tests
    alone, and `environment` the runs."""

    def __init__(self, directory, options, library_flags, test_flags, environment):
        self.directory = pathlib.Path(directory).resolve()
        self.options = options
        self.library_flags = library_flags
        self.test_flags = test_flags
        self.environment = environment
        self.seconds = {}  # of a run of each test file without faults
        self.locks = collections.defaultdict(threading.Lock)  # of each test file
        (self.directory / "tests_of_mutants").mkdir(parents=True, exist_ok=True)

    def prepare(self, jobs):
        """Configures, builds the library and reads the commands and dependencies."""
        base = ["-DTANDEM_BACKENDS=serial;openmp", "-DTANDEM_BACKEND=openmp", "-DTANDEM_PERF=OFF",
                "-DTANDEM_EXAMPLES=OFF", "-DTANDEM_INSTALL=OFF", "-DCMAKE_BUILD_TYPE=None",
                "-DCMAKE_CXX_COMPILER_LAUNCHER=",
                f"-DCMAKE_CXX_FLAGS={self.library_flags}"]
        for command in (["cmake", "-S", ROOT, "-B", self.directory, "-G", "Ninja", *base,
                         *self.options],
                        ["ninja", "-C", self.directory, f"-j{jobs}", "tandem_serial",
                         "tandem_openmp", "tandem_core"]):
            outcome = execute(list(map(str, command)), ROOT, None)
            if outcome.status != 0:
                raise SystemExit(f"{' '.join(map(str, command))}\n{outcome.output}")
        entries = json.loads((self.directory / "compile_commands.json").read_text())
        self.commands = {os.path.relpath(entry["file"], ROOT): shlex.split(entry["command"])
                         for entry in entries}
        self.archives = [self.directory / f"libtandem_{name}.a"
                         for name in ("openmp", "serial", "core")]
        self.linked = [word for word in self.link_words() if "libtandem" not in word
                       and (word.endswith((".a", ".so")) or word.startswith("-l"))]
        self.includers = self.library_includers()

    def link_words(self):
        """The words of the command that links the test binary."""
        return execute(["ninja", "-C", str(self.directory), "-t", "commands", "-s",
                        "tests/tandem_tests_host"], ROOT, None).output.split()

    def library_includers(self):
        """Which of the library's sources depend on a file of the repository."""
        includers = {}
        listing = execute(["ninja", "-C", str(self.directory), "-t", "deps"], ROOT, None).output
        for part in listing.split("\n\n"):
            head, *files = [line.strip() for line in part.strip().splitlines()] or [""]
            if "/tandem_" not in head or "tests/" in head:
                continue
            source = head.split(".dir/")[1].split(".o:")[0]
            for file in files:
                includers.setdefault(self.repository_path(file), set()).add(source)
        return includers

    def repository_path(self, file):
        return os.path.relpath(os.path.realpath(self.directory / file), ROOT)

    def compile(self, source, target, overlay=None, flags=()):
        """Compiles one source of the build, with an overlay where there is one. Warnings of a fault
        (unused variables, comparisons that never hold) do not count."""
        command = list(self.commands[source])
        command[command.index("-o") + 1] = str(target)
        file = pathlib.Path(command[-1])
        if overlay and (overlay / "tandem" / source).exists():
            file = overlay / "tandem" / source
        extra = ["-w", "-MD", "-MF", f"{target}.d"]
        if source.startswith("tests/"):
            extra += shlex.split(self.test_flags)
        if overlay:
            command.insert(1, f"-I{overlay}")
        return execute(command[:-1] + extra + [*flags, str(file)], self.directory,
                       COMPILER_TIMEOUT)

    def is_compiled(self, source, work, overlay):
        """Whether the fault is in code that the preprocessor leaves for this machine's compiler."""
        texts = []
        for over in (None, overlay):
            self.compile(source, work / "preprocessed", over, ["-E", "-P"])
            texts.append((work / "preprocessed").read_bytes())
        return texts[0] != texts[1]

    def object_of(self, source):
        """The object without a fault."""
        if not source.startswith("tests/"):
            command = self.commands[source]
            return self.directory / command[command.index("-o") + 1]
        return self.directory / "tests_of_mutants" / (source.replace("/", "__") + ".o")

    def test_includes(self, test, path):
        """Whether a test file, built without faults, includes a file of the repository."""
        words = pathlib.Path(f"{self.object_of(test)}.d").read_text().replace("\\\n", " ").split()
        return path in {self.repository_path(word) for word in words[1:]}

    def link(self, objects, target):
        compiler, *flags = self.commands[HARNESS][0], *shlex.split(self.library_flags)
        return execute([compiler, *flags, "-fopenmp", "-o", str(target), *map(str, objects),
                        *map(str, self.archives), *self.linked], self.directory, COMPILER_TIMEOUT)

    def run(self, binary, test, environment=None):
        """Runs the cases of a test binary up to the first that fails, in ten times the time that
        they take without a fault."""
        limit = 20 + 10 * self.seconds[test] if test in self.seconds else 900
        return execute([str(binary), "--abort-after=1"], self.directory, limit,
                       {**self.environment, **(environment or {})})

    def compile_changed(self, source, target, overlay):
        """Compiles a source with a fault. Returns the object, or None where the fault does not
        compile; the object without a fault where the fault changes no byte of it."""
        if self.compile(source, target, overlay).status != 0:
            return None
        original = self.object_of(source)
        return original if filecmp.cmp(original, target, shallow=False) else target

    def link_test(self, own, work, changed=()):
        """The binary of a test file's object and of changed objects of the library, or None."""
        linked = self.link([self.object_of(HARNESS), own, *changed], work / "test")
        return work / "test" if linked.status == 0 else None

    def prepare_test(self, test, work):
        """Builds a test file without faults and times it, once; a failure ends the run."""
        with self.locks[test]:
            if test in self.seconds:
                return
            outcome = self.compile(test, self.object_of(test))
            if outcome.status != 0:
                raise SystemExit(f"{test} does not compile\n{outcome.output}")
            if test != HARNESS:
                outcome = self.run(self.link_test(self.object_of(test), work), test)
                if outcome.status != 0:
                    raise SystemExit(f"{test} fails without a fault\n{outcome.output}")
            self.seconds[test] = outcome.seconds
