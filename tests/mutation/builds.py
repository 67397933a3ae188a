# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the library without faults, and rebuilds single test files with one.

A fault is an overlay: a directory with the changed file, first on the include path. Only objects
that include the file and that the test's binary links are recompiled, and those that changed are
linked before the library's archive.
"""

import collections
import dataclasses
import filecmp
import json
import math
import os
import pathlib
import re
import shlex
import signal
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HARNESS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/support").glob("*.cpp"))
TARGETS = re.compile(r" -o \S*\b(?:tandem_(?:core|serial|openmp)|tandem_tests_host)\.dir/")
TEST_THREADS = 3  # the default of the tests: tests/support/backends.hpp
PATIENCE = 3  # wall-clock seconds per CPU second that a command may take
COMPILER_TIMEOUT = 300  # s; a fault that takes longer (an endless constant) does not compile
MESSAGE = 4000  # characters of a tool's output that are printed


@dataclasses.dataclass
class Outcome:
    """The outcome of a command: `status` is None if it ran out of time."""
    status: int | None
    output: str
    seconds: float


def execute(command, directory, limit, environment=None):
    """Runs a command for at most `limit` CPU seconds, or without a limit. Wall-clock time says
    little on a busy machine; it limits programs that wait forever.
    """
    start = time.monotonic()
    if limit is not None:
        command = ["bash", "-c", f'ulimit -S -t {math.ceil(limit)}; exec "$0" "$@"', *command]
        limit = PATIENCE * limit
    process = subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.STDOUT, errors="replace", start_new_session=True,
                               env={**os.environ, **(environment or {})})
    try:
        output, _ = process.communicate(timeout=limit)
        status = None if process.returncode == -signal.SIGXCPU else process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        output, _ = process.communicate()
        status = None
    return Outcome(status, output, time.monotonic() - start)


class Build:
    """A CMake build of the CPU backends. `library_flags` apply to all of it, `test_flags` to the
    tests only, and `environment` to the runs."""

    def __init__(self, directory, options, library_flags, test_flags, environment):
        self.directory = pathlib.Path(directory).resolve()
        self.options = options
        self.library_flags = library_flags
        self.test_flags = test_flags
        self.environment = environment
        self.seconds = {}  # per test file without faults, None if it fails
        self.members = {}  # library sources linked into a test file's binary
        self.locks = collections.defaultdict(threading.Lock)  # per test file
        (self.directory / "tests_of_mutants").mkdir(parents=True, exist_ok=True)

    def prepare(self, jobs):
        """Configures, builds the library and reads the commands and dependencies."""
        base = ["-DTANDEM_BACKENDS=serial;openmp", "-DTANDEM_BACKEND=openmp", "-DTANDEM_PERF=OFF",
                "-DTANDEM_EXAMPLES=OFF", "-DTANDEM_INSTALL=OFF", "-DCMAKE_BUILD_TYPE=None",
                "-DCMAKE_CXX_COMPILER_LAUNCHER=", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON",
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
                         for entry in entries if TARGETS.search(entry["command"])}
        self.archive = self.thin_archive()
        self.linked = [word for word in self.link_words() if "libtandem" not in word
                       and (word.endswith((".a", ".so")) or word.startswith("-l"))]
        self.includers = self.library_includers()

    def thin_archive(self):
        """An archive of all library objects under their paths, so that the linker shows which it
        takes."""
        archive = self.directory / "library.a"
        archive.unlink(missing_ok=True)
        objects = {self.object_of(source): source for source in self.commands
                   if not source.startswith("tests/")}
        self.sources = {str(path): source for path, source in objects.items() if path.exists()}
        outcome = execute(["ar", "rcsT", str(archive), *sorted(self.sources)], self.directory, None)
        if outcome.status != 0:
            raise SystemExit(f"ar: {outcome.output}")
        return archive

    def link_words(self):
        """Returns the words of the command that links the test binary."""
        return execute(["ninja", "-C", str(self.directory), "-t", "commands", "-s",
                        "tests/tandem_tests_host"], ROOT, None).output.split()

    def library_includers(self):
        """Returns the library sources that depend on a file of the repository."""
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
        """Compiles one source of the build, with an overlay if there is one. Warnings that a fault
        causes (unused variables, comparisons that never hold) do not count."""
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
        """Whether the fault is in code that remains after preprocessing on this machine."""
        texts = []
        for over in (None, overlay):
            self.compile(source, work / "preprocessed", over, ["-E", "-P"])
            texts.append((work / "preprocessed").read_bytes())
        return texts[0] != texts[1]

    def object_of(self, source):
        """Returns the object without a fault."""
        if not source.startswith("tests/"):
            command = self.commands[source]
            return self.directory / command[command.index("-o") + 1]
        return self.directory / "tests_of_mutants" / (source.replace("/", "__") + ".o")

    def test_includes(self, test, path):
        """Whether a test file, built without faults, includes a file of the repository."""
        words = pathlib.Path(f"{self.object_of(test)}.d").read_text().replace("\\\n", " ").split()
        return path in {self.repository_path(word) for word in words[1:]}

    def link(self, objects, target):
        compiler, *flags = self.commands[HARNESS[0]][0], *shlex.split(self.library_flags)
        harness = [str(self.object_of(source)) for source in HARNESS]
        return execute([compiler, *flags, "-fopenmp", "-Wl,-t", "-o", str(target), *harness,
                        *map(str, objects), str(self.archive), *self.linked], self.directory,
                       COMPILER_TIMEOUT)

    def run(self, binary, test, environment=None):
        """Runs the cases of a test binary up to the first failure, for at most ten times the time
        that they take without a fault."""
        limit = TEST_THREADS * (20 + 10 * self.seconds[test]) if test in self.seconds else 900
        return execute([str(binary), "--abort-after=1"], self.directory, limit,
                       {**self.environment, **(environment or {})})

    def compile_changed(self, source, target, overlay):
        """Compiles a source with a fault. Returns the object, None if the fault does not compile,
        or the object without a fault if its bytes are equal."""
        if self.compile(source, target, overlay).status != 0:
            return None
        original = self.object_of(source)
        return original if filecmp.cmp(original, target, shallow=False) else target

    def link_test(self, own, work, changed=()):
        """Links a test file's object and changed library objects; returns the binary or None."""
        linked = self.link([own, *changed], work / "test")
        return work / "test" if linked.status == 0 else None

    def prepare_test(self, test, work):
        """Builds a test file without faults, records what it links and times it, once. Returns
        whether it passes; a test that does not cannot detect faults and is left out."""
        with self.locks[test]:
            if test not in self.seconds:
                self.seconds[test] = self.try_test(test, work)
                if self.seconds[test] is None:
                    print(f"{test} fails without a fault and is left out", flush=True)
            return self.seconds[test] is not None

    def try_test(self, test, work):
        """Returns the seconds that a test file takes without faults, or None if it fails."""
        outcome = self.compile(test, self.object_of(test))
        if outcome.status != 0:
            raise SystemExit(f"{test} does not compile\n{outcome.output[:MESSAGE]}")
        if test in HARNESS:
            return outcome.seconds
        linked = self.link([self.object_of(test)], work / "test")
        if linked.status != 0:
            raise SystemExit(f"{test} does not link\n{linked.output[-MESSAGE:]}")
        self.members[test] = {self.sources[line] for line in linked.output.splitlines()
                              if line in self.sources}
        outcome = self.run(work / "test", test)
        return outcome.seconds if outcome.status == 0 else None
