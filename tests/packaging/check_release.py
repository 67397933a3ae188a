#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs packaging/release on a clone of this repository: what it refuses, what it writes, and that
its archive has the same bytes on each run. Site, packages and reports are left out."""

import ast
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
ARGUMENTS = ["--homepage", "https://example.org/tandem", "--maintainer", "somebody", "--without",
             "deb", "--without", "wheel", "--without", "site", "--without", "report"]


def git(folder, *arguments):
    return subprocess.run(["git", "-c", "safe.directory=*", "-c", "user.name=test", "-c",
                           "user.email=test@example.org", *arguments], cwd=folder, check=True,
                          text=True, capture_output=True).stdout


def release(clone, *arguments):
    """Returns exit status and what it printed."""
    done = subprocess.run([sys.executable, clone / "packaging/release", *ARGUMENTS, *arguments],
                          check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def refusals(clone, folder):
    """Yields what is accepted although CHANGELOG.md has open entries and the tree a change."""
    (clone / "left_over").touch()
    changelog = clone / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("\n## [Unreleased]\n",
                                                       "\n## [Unreleased]\n\n- One more.\n"))
    status, output = release(clone, "--out", str(folder / "refused"), "--tag")
    for line in ("the working tree has", "CHANGELOG.md"):
        if line not in output:
            yield f"nothing says '{line}': {output}"
    if not status or (folder / "refused").exists() or git(clone, "tag"):
        yield f"a release of changed files: status {status}"
    git(clone, "checkout", "-q", "CHANGELOG.md")
    (clone / "left_over").unlink()


def close(clone, version):
    """Closes the open section of CHANGELOG.md in a commit: as the version's, or, if the version has
    a section already, by leaving out what came after it."""
    changelog = clone / "CHANGELOG.md"
    text = changelog.read_text()
    if f"## [{version}]" in text:
        closed = re.sub(r"^## \[Unreleased\]\n.*?(?=^## \[)", "## [Unreleased]\n\n", text,
                        flags=re.MULTILINE | re.DOTALL)
    else:
        closed = re.sub(r"^## \[Unreleased\]$", f"## [{version}] - 2026-01-31", text,
                        flags=re.MULTILINE)
    changelog.write_text(closed)
    git(clone, "commit", "-q", "--allow-empty", "-am", "close the section")


def written(out, version):
    """Yields what is wrong with a release's folder."""
    archive = out / f"tandem-{version}.tar.gz"
    sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
    recipes = out / "recipes"
    spack = (recipes / "spack/spack_repo/tandem/packages/tandem/package.py").read_text()
    ast.parse(spack)
    manifest = json.loads((recipes / "vcpkg/vcpkg.json").read_text())
    if manifest["homepage"] != "https://example.org/tandem":
        yield f"vcpkg.json has the homepage {manifest['homepage']}"
    port = (recipes / "vcpkg/portfile.cmake").read_text()
    texts = {"package.py": (spack, sha256),
             "SHA256SUMS": ((out / "SHA256SUMS").read_text(), sha256),
             "conandata.yml": ((recipes / "conan/all/conandata.yml").read_text(), sha256),
             "portfile.cmake": (port, hashlib.sha512(archive.read_bytes()).hexdigest()),
             "NOTES.md": ((out / "NOTES.md").read_text(), "### Added")}
    for name, (text, part) in texts.items():
        if part not in text:
            yield f"{name} has no {part}"
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=out, check=True)
    names = subprocess.run(["tar", "-tzf", archive], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    if f"tandem-{version}/CMakeLists.txt" not in names or any("/.git/" in name for name in names):
        yield "the archive is not the source"
    if any(recipes.rglob("left_over.cpp")):
        yield "Conan's recipe has what `conan create` built"


def failures(folder):
    clone = folder / "clone"
    git(folder, "clone", "-q", "--shared", "--no-tags", str(ROOT), str(clone))
    text = (clone / "include/tandem/version.hpp").read_text()
    version = re.search(r'version = "([^"]+)"', text).group(1)
    left_over = clone / "packaging/conan/test_package/build/left_over.cpp"
    left_over.parent.mkdir()
    left_over.touch()
    yield from refusals(clone, folder)
    close(clone, version)
    archives = []
    for name, arguments in (("first", []), ("second", ["--tag"])):
        status, output = release(clone, "--out", str(folder / name), *arguments)
        if status:
            yield f"status {status}: {output}"
            return
        archives.append((folder / name / f"tandem-{version}.tar.gz").read_bytes())
        if (git(clone, "tag") != "") != bool(arguments):
            yield f"with {arguments}: the tags are '{git(clone, 'tag')}'"
    if archives[0] != archives[1]:
        yield "two archives of one commit differ"
    yield from written(folder / "second", version)
    status, output = release(clone, "--out", str(folder / "third"))
    if not status or "exists" not in output:
        yield f"a second release of a version: status {status}, {output}"


def main():
    try:
        git(ROOT, "rev-parse", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        print("this is no git repository")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        found = list(failures(pathlib.Path(folder)))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
