# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recipes for upstream registries. Those in packaging/ build the checkout that contains them; these
download a release's archive and name its checksum, the homepage and the maintainers."""

import hashlib
import json
import pathlib
import shutil

PACKAGING = pathlib.Path(__file__).resolve().parent
BUILT = ("build", "CMakeUserPresets.json")  # what `conan create` leaves in test_package
SPACK = "spack_repo/tandem/packages/tandem/package.py"


def replace(path, old, new):
    """Replaces the one occurrence of `old` in a file."""
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path} has {text.count(old)} times, not once: {old}")
    path.write_text(text.replace(old, new), encoding="utf-8")


def write_conan(folder, version, url, sha256, homepage):
    """A folder as ConanCenter has it: config.yml, and the recipe in all/."""
    shutil.copytree(PACKAGING / "conan", folder / "all",
                    ignore=shutil.ignore_patterns("__pycache__", *BUILT))
    (folder / "config.yml").write_text(f'versions:\n  "{version}":\n    folder: all\n',
                                       encoding="utf-8")
    (folder / "all/conandata.yml").write_text(
        f'sources:\n  "{version}":\n    url: "{url}"\n    sha256: "{sha256}"\n', encoding="utf-8")
    replace(folder / "all/conanfile.py", "    topics = ", f'    homepage = "{homepage}"\n'
            f'    url = "https://github.com/conan-io/conan-center-index"\n    topics = ')


def write_vcpkg(folder, url, sha512, homepage, maintainers):
    shutil.copytree(PACKAGING / "vcpkg/tandem", folder)
    port = folder / "portfile.cmake"
    text = port.read_text(encoding="utf-8")
    start, end = text.index("# The port lies in"), text.index("# A package is for every GPU")
    name = url.rpartition("/")[2]
    port.write_text(f'''{text[:start]}vcpkg_download_distfile(
  archive URLS "{url}"
  FILENAME "{name}"
  SHA512 {sha512})
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${{archive}}")

{text[end:]}''', encoding="utf-8")
    manifest = json.loads((folder / "vcpkg.json").read_text(encoding="utf-8"))
    more = {"maintainers": [f"@{login}" for login in maintainers]} if maintainers else {}
    head = ("name", "version")
    manifest = ({key: manifest[key] for key in head} | more
                | {"description": manifest["description"], "homepage": homepage}
                | {key: value for key, value in manifest.items() if key not in head})
    (folder / "vcpkg.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def write_spack(folder, version, url, sha256, homepage, maintainers):
    shutil.copytree(PACKAGING / "spack", folder, ignore=shutil.ignore_patterns("__pycache__"))
    recipe = folder / SPACK
    said = f'    homepage = "{homepage}"\n    url = "{url}"\n    git = "{homepage}.git"\n\n'
    if maintainers:
        said += f"    maintainers({', '.join(json.dumps(login) for login in maintainers)})\n\n"
        replace(recipe, "license, variant,", "license, maintainers, variant,")
    replace(recipe, "    license(", f"{said}    license(")
    replace(recipe, f'    version("{version}")', f'    version("{version}", sha256="{sha256}")')
    replace(recipe, '"""Spack 1 package, built from a checkout: `spack develop` or `spack '
            'dev-build`."""', '"""Spack 1 package."""')


def write(folder, version, archive, homepage, maintainers):
    """Writes the recipes of all registries that build `archive`."""
    content = archive.read_bytes()
    url = f"{homepage}/releases/download/v{version}/{archive.name}"
    sha256, sha512 = hashlib.sha256(content).hexdigest(), hashlib.sha512(content).hexdigest()
    folder.mkdir()
    write_conan(folder / "conan", version, url, sha256, homepage)
    write_vcpkg(folder / "vcpkg", url, sha512, homepage, maintainers)
    write_spack(folder / "spack", version, url, sha256, homepage, maintainers)
