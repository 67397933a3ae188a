#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies the source with an additional backend: serial, renamed to sequential.

Its sources have a different extension, like those of another compiler. The build then shows that a
backend is a folder and one word in TANDEM_BACKENDS, and that no other file has to know it.
"""

import pathlib
import shutil
import sys

FOLDERS = ("algorithms", "backends", "cmake", "core", "distributed", "include")


def main():
    source, target = (pathlib.Path(path) for path in sys.argv[1:])
    shutil.rmtree(target, ignore_errors=True)
    for folder in FOLDERS:
        shutil.copytree(source / folder, target / folder, symlinks=True)
    shutil.copy(source / "CMakeLists.txt", target)
    added = target / "backends" / "sequential"
    for path in sorted((source / "backends" / "serial").rglob("*")):
        copy = added / str(path.relative_to(source / "backends" / "serial")).replace(
            "serial", "sequential")
        if path.is_dir():
            copy.mkdir(parents=True, exist_ok=True)
        else:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(path.read_text().replace("serial", "sequential"))
    for source_file in added.rglob("*.cpp"):
        source_file.rename(source_file.with_suffix(".cc"))
    (added / "sequential.cmake").write_text("tandem_add_backend(sequential EXTENSIONS cc)\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
