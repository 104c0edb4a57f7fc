"""Build backend (PEP 517) of the Python package, for `pip install .` and `pip wheel .`.

CMake builds librwa_c.so, which goes into a wheel with python/rwa. Needs no Python packages from
Python 3.11 on; before, tomli.

    pip install .                                          reuse make's build, or use build/python
    pip install . --config-settings build-dir=build/cpu    use that build tree
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import Any, NamedTuple, Optional

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python"
LIBRARY = "librwa_c.so"
# What the build reads, and what it does not need of that.
SOURCES = (
    *("CMakeLists.txt", "CMakePresets.json", "LICENSE", "Makefile", "README.md", "pyproject.toml"),
    "docs/building.md",
    *("cli", "cmake", "include", "paper", "python", "src", "tools"),
)
NOT_SOURCES = {"__pycache__", "results"}
# RWA_PROGRAM adds the layers that librwa_c.so contains.
CONFIGURATION = (
    *("-DCMAKE_BUILD_TYPE=Release", "-DRWA_PROGRAM=ON", "-DRWA_TESTS=OFF", "-DRWA_EXAMPLES=OFF"),
    "-DRWA_BENCH_ONEDNN=OFF",
)

Settings = Optional[dict[str, Any]]


class Project(NamedTuple):
    """The project: its version in CMakeLists.txt, and [project] in pyproject.toml."""

    version: str
    fields: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.fields["name"])

    @property
    def stem(self) -> str:
        return f"{self.name}-{self.version}"

    @property
    def metadata(self) -> bytes:
        """The core metadata, a header and the README."""
        fields = self.fields
        extras = fields["optional-dependencies"]
        lines = [
            "Metadata-Version: 2.1",
            f"Name: {self.name}",
            f"Version: {self.version}",
            f"Summary: {fields['description']}",
            f"Author: {', '.join(author['name'] for author in fields['authors'])}",
            f"License: {fields['license']['text']}",
            f"Keywords: {','.join(fields['keywords'])}",
            *(f"Classifier: {name}" for name in fields["classifiers"]),
            f"Requires-Python: {fields['requires-python']}",
            *(f"Requires-Dist: {package}" for package in fields["dependencies"]),
        ]
        for extra, packages in extras.items():
            lines.append(f"Provides-Extra: {extra}")
            lines += [f'Requires-Dist: {package}; extra == "{extra}"' for package in packages]
        lines += ["Description-Content-Type: text/markdown", ""]
        return "\n".join(lines).encode() + b"\n" + (ROOT / fields["readme"]).read_bytes()


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return [] if sys.version_info >= (3, 11) else ["tomli"]


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    return get_requires_for_build_wheel()


def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: Settings = None
) -> str:
    folder = Path(metadata_directory, f"{project().stem}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_bytes(project().metadata)
    return folder.name


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    library = build_library((config_settings or {}).get("build-dir"))
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    tag = f"py3-none-{platform}"
    path = Path(wheel_directory, f"{project().stem}-{tag}.whl")
    info = f"{project().stem}.dist-info"
    with Wheel(path) as wheel:
        for file in sources(PACKAGE / "rwa"):
            wheel.add(file.relative_to(PACKAGE).as_posix(), file.read_bytes())
        wheel.add(f"rwa/{LIBRARY}", library.read_bytes(), mode=0o755)
        wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
        wheel.add(f"{info}/METADATA", project().metadata)
        wheel.add(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: rwa\nRoot-Is-Purelib: false\n" f"Tag: {tag}\n".encode(),
        )
        wheel.finish(f"{info}/RECORD")
    return path.name


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    path = Path(sdist_directory, f"{project().stem}.tar.gz")
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in SOURCES:
            for file in sources(ROOT / name):
                archive.add(file, f"{project().stem}/{file.relative_to(ROOT).as_posix()}")
        metadata = project().metadata
        entry = tarfile.TarInfo(f"{project().stem}/PKG-INFO")
        entry.size = len(metadata)
        archive.addfile(entry, io.BytesIO(metadata))
    return path.name


class Wheel:
    """A zip archive that records its contents. The same contents give the same bytes."""

    def __init__(self, path: Path) -> None:
        self._archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record: list[str] = []

    def __enter__(self) -> Wheel:
        return self

    def __exit__(self, *exception: object) -> None:
        self._archive.close()

    def add(self, name: str, content: bytes, mode: int = 0o644) -> None:
        entry = zipfile.ZipInfo(name)  # dated 1980, so that builds are reproducible
        entry.external_attr = (0o100000 | mode) << 16
        self._archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(content)}\n")

    def finish(self, name: str) -> None:
        self._archive.writestr(zipfile.ZipInfo(name), "".join(self._record) + f"{name},,\n")


def sources(path: Path) -> list[Path]:
    """Return the file itself, or the sources in the folder."""
    if path.is_file():
        return [path]
    found = (f for f in path.rglob("*") if f.is_file() and f.suffix != ".so")
    return sorted(f for f in found if not NOT_SOURCES & set(f.relative_to(path).parts))


def project() -> Project:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    fields = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(rf"project\({fields['name']} VERSION (\S+)", text)
    if found is None:
        raise SystemExit(f"CMakeLists.txt: found no project({fields['name']} VERSION …)")
    return Project(found.group(1), fields)


def build_library(build_dir: str | None) -> Path:
    if shutil.which("cmake") is None:
        raise SystemExit(f"cmake is not installed. {what_to_install()}")
    folder = Path(build_dir) if build_dir else ROOT / "build" / "release"  # by `make`
    if not any((folder / file).is_file() for file in ("build.ninja", "Makefile")):
        folder = folder if build_dir else ROOT / "build" / "python"
        configure(folder)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
    run("cmake", "--build", str(folder), "--target", "rwa_c", "--parallel", jobs)
    return folder / LIBRARY


def configure(folder: Path) -> None:
    """Configure a build tree. The generator of a tree that failed before cannot be changed."""
    fresh = not (folder / "CMakeCache.txt").is_file()
    generator = ("-G", "Ninja") if fresh and shutil.which("ninja") else ()
    run("cmake", "-S", str(ROOT), "-B", str(folder), *generator, *CONFIGURATION)


def run(*command: str) -> None:
    status = subprocess.run(command).returncode
    if status != 0:
        raise SystemExit(
            f"`{' '.join(command)}` failed with status {status}; see its output above. "
            "If something is missing: " + what_to_install()
        )


def what_to_install() -> str:
    """Return the list of packages from the Makefile."""
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    found = re.search(r"^BUILD_PACKAGES\s*=(.*)$", text, re.MULTILINE)
    packages = " ".join(found.group(1).split()) if found else "see the Makefile"
    return (
        f"The build needs these Debian 12 packages: {packages}; docs/building.md says which are "
        "optional and what they are for"
    )
