"""`pip install .` builds the library, packages it and installs it without an index."""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path
from unittest import mock

from support import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import python_build  # noqa: E402

BUILD_DIR = os.environ.get("RWA_BUILD_DIR")
needs_build = unittest.skipUnless(BUILD_DIR, "$RWA_BUILD_DIR names no build tree with librwa_c.so")

USE = """
import importlib.metadata, rwa, sys
assert importlib.metadata.version("rwa") == rwa.__version__
model = rwa.Model(inputs=1, units=3)
print(rwa.__version__, len(model([[[1.0]], [[2.0]]])), rwa.__file__, sys.prefix)
"""


class Backend(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = self._folder.name

    def test_the_version_is_that_of_cmake(self) -> None:
        project = python_build.project()
        self.assertEqual(project.name, "rwa")
        self.assertIn(f"VERSION {project.version} ", (ROOT / "CMakeLists.txt").read_text())
        self.assertIn(f"\nVersion: {project.version}\n".encode(), project.metadata)
        self.assertEqual(project.fields["dynamic"], ["version"])

    def test_needs_no_packages(self) -> None:
        self.assertEqual(python_build.get_requires_for_build_wheel(), [])
        self.assertEqual(python_build.get_requires_for_build_sdist(), [])
        self.assertIn("\nrequires = []\n", (ROOT / "pyproject.toml").read_text())

    def test_metadata(self) -> None:
        """Python's own reader finds every field of pyproject.toml, and the README."""
        name = python_build.prepare_metadata_for_build_wheel(self.folder)
        self.assertEqual(name, f"{python_build.project().stem}.dist-info")
        found = importlib.metadata.PathDistribution(Path(self.folder, name))
        fields = python_build.project().fields
        for header, value in {
            "Metadata-Version": "2.1",
            "Name": "rwa",
            "Version": python_build.project().version,
            "Summary": fields["description"],
            "Author": "rwa contributors",
            "License": "Apache-2.0",
            "Keywords": ",".join(fields["keywords"]),
            "Requires-Python": ">=3.9",
            "Description-Content-Type": "text/markdown",
        }.items():
            self.assertEqual(found.metadata.get_all(header), [value])
        self.assertEqual(found.metadata.get_all("Classifier"), fields["classifiers"])
        extras = fields["optional-dependencies"]
        self.assertLessEqual({"numpy", "sklearn", "test", "torch"}, set(extras))
        self.assertEqual(found.metadata.get_all("Provides-Extra"), list(extras))
        needed = [f'{need}; extra == "{extra}"' for extra in extras for need in extras[extra]]
        self.assertEqual(found.requires, needed)  # nothing without an extra
        written = Path(self.folder, name, "METADATA").read_bytes()
        self.assertEqual(written.split(b"\n\n", 1)[1], (ROOT / "README.md").read_bytes())

    def test_the_license_is_that_of_the_project(self) -> None:
        text = (ROOT / "LICENSE").read_text()
        self.assertRegex(text, r"Apache License\s+Version 2\.0")

    def test_a_missing_program_is_named_with_what_to_install(self) -> None:
        code = "import python_build; python_build.build_library(None)"
        path = {"PATH": self.folder, "PYTHONPATH": str(ROOT / "tools")}
        command = [sys.executable, "-c", code]
        found = subprocess.run(command, env=path, capture_output=True, text=True)
        self.assertEqual(found.returncode, 1)
        self.assertIn("cmake is not installed. The build needs these Debian", found.stderr)
        self.assertIn("g++ cmake", found.stderr)
        self.assertNotIn("Traceback", found.stderr)

    def test_a_failing_build_is_named_with_what_to_install(self) -> None:
        with self.assertRaisesRegex(SystemExit, "`false` failed with status 1.*libfmt-dev"):
            python_build.run("false")

    def test_sources(self) -> None:
        name = python_build.build_sdist(self.folder)
        stem = python_build.project().stem
        with tarfile.open(Path(self.folder, name)) as archive:
            names = set(archive.getnames())
        for file in (
            "PKG-INFO",
            "pyproject.toml",
            "Makefile",
            "python/rwa/py.typed",
            "src/c_api/model.cc",
            "include/rwa/c_api.h",
        ):
            self.assertIn(f"{stem}/{file}", names)
        self.assertFalse([n for n in names if "__pycache__" in n or "/build/" in n])

    def test_sources_have_all_that_the_build_reads(self) -> None:
        """Configure the sources with their own backend, as `pip install .` does: CMake looks for
        every file that is compiled, and Ninja lists what else is read."""
        name = python_build.build_sdist(self.folder)
        with tarfile.open(Path(self.folder, name)) as archive:
            archive.extractall(self.folder)
        root = Path(self.folder, python_build.project().stem)
        tree = root / "build" / "python"
        code = f"import pathlib, python_build; python_build.configure(pathlib.Path({str(tree)!r}))"
        environment = {**os.environ, "PYTHONPATH": str(root / "tools")}
        command = [sys.executable, "-c", code]
        found = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
        if shutil.which("ninja") is None:
            return
        command = ["ninja", "-C", str(tree), "-t", "inputs", "rwa_c"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        files = [Path(line) for line in listed.splitlines() if line.startswith(str(root))]
        read = [file for file in files if tree not in file.parents]
        self.assertIn(root / "src" / "c_api" / "symbols.map", read)
        self.assertEqual([file for file in read if not file.is_file()], [])

    def test_a_tree_that_could_not_be_configured_is_configured_again(self) -> None:
        commands: list[tuple[str, ...]] = []
        tree = Path(self.folder, "tree")
        tree.mkdir()
        with mock.patch.object(python_build, "run", lambda *command: commands.append(command)):
            for file, generators, configured in [
                (None, 1, 1),
                ("CMakeCache.txt", 0, 1),  # left by a failure
                ("build.ninja", 0, 0),
            ]:
                if file:
                    (tree / file).touch()
                commands.clear()
                python_build.build_library(str(tree))
                self.assertEqual(sum("-S" in command for command in commands), configured)
                if shutil.which("ninja"):
                    self.assertEqual(sum("-G" in command for command in commands), generators)
                self.assertIn("--build", commands[-1])

    @needs_build
    def test_wheel(self) -> None:
        settings = {"build-dir": BUILD_DIR}
        name = python_build.build_wheel(self.folder, settings)
        wheel = Path(self.folder, name)
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
            info = f"{python_build.project().stem}.dist-info"
            self.assertEqual(archive.read(f"{info}/METADATA"), python_build.project().metadata)
            record = archive.read(f"{info}/RECORD").decode().splitlines()
            for line in record[:-1]:
                file, digest, size = line.split(",")
                content = archive.read(file)
                found = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
                self.assertEqual(digest, "sha256=" + found.rstrip("="))
                self.assertEqual(int(size), len(content))
            self.assertEqual({line.split(",")[0] for line in record}, names)
            mode = archive.getinfo("rwa/librwa_c.so").external_attr >> 16
        self.assertTrue(mode & 0o111)
        self.assertLessEqual({"rwa/__init__.py", "rwa/py.typed", "rwa/torch/__init__.py"}, names)
        self.assertRegex(name, rf"^rwa-{python_build.project().version}-py3-none-\w+\.whl$")
        first = wheel.read_bytes()
        python_build.build_wheel(self.folder, settings)
        self.assertEqual(wheel.read_bytes(), first)


@needs_build
@unittest.skipUnless(importlib.util.find_spec("pip"), "this Python has no pip")
class Install(unittest.TestCase):
    def test_into_an_empty_environment(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=False)
            python = str(Path(folder, "bin", "python"))
            pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index"]
            settings = ["--config-settings", f"build-dir={BUILD_DIR}"]
            installed = subprocess.run([*pip, *settings, str(ROOT)], capture_output=True, text=True)
            self.assertEqual(installed.returncode, 0, installed.stdout + installed.stderr)

            clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "RWA_LIBRARY")}
            used = subprocess.run(
                [python, "-c", USE], env=clean, cwd=folder, capture_output=True, text=True
            )
            self.assertEqual(used.returncode, 0, used.stderr)
            version, count, file, prefix = used.stdout.split()
            self.assertEqual((version, count), (python_build.project().version, "1"))
            self.assertTrue(file.startswith(prefix), used.stdout)


if __name__ == "__main__":
    unittest.main()
