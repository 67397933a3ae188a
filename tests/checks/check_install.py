#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that packages are installed only as root, unless refused, after a line that says so.

`.ci/install_packages` runs with a fake `id` and a fake `apt-get`, so nothing is installed.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write_script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def run(folder, user, install):
    """Returns exit status, output, and the calls of apt-get with their DEBIAN_FRONTEND."""
    calls = folder / "calls"
    calls.unlink(missing_ok=True)
    write_script(folder / "id", f"echo {user}")
    write_script(folder / "apt-get", f'echo "$DEBIAN_FRONTEND" "$@" >>{calls}')
    done = subprocess.run(
        [ROOT / ".ci/install_packages", "tests/run", install, "ninja-build", "doctest-dev"],
        env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}, check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return (done.returncode, done.stdout,
            calls.read_text().splitlines() if calls.exists() else [])


def failures(folder):
    for user, install in ((1000, "yes"), (0, "no")):
        status, output, calls = run(folder, user, install)
        if status != 1 or calls:
            yield f"user {user}, install {install}: status {status}, apt-get ran {calls}"
        if "sudo apt-get install -y --no-install-recommends ninja-build doctest-dev" not in output:
            yield f"user {user}, install {install}: no command to copy in:\n{output}"
    status, output, calls = run(folder, 0, "yes")
    if status != 0 or not output.startswith("== tests/run needs what is missing here"):
        yield f"as root: status {status}, output:\n{output}"
    if len(calls) != 2 or not all("DPkg::Lock::Timeout" in call for call in calls):
        yield f"as root: apt-get must wait for its lock, and ran {calls}"
    elif not (calls[1].startswith("noninteractive ") and calls[1].endswith("doctest-dev")):
        yield f"as root: apt-get ran {calls[1]}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = list(failures(pathlib.Path(folder)))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
