"""Builds the wheel, which contains libforay.

The library is built by Go in the folder libforay beside this one, unless FORAY_LIBRARY names one.
Source distributions contain the library.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = HERE / "src" / "foray" / "libforay.so"
SOURCES = HERE.parent / "libforay"
VERSION = HERE / "VERSION"  # in source distributions, which lack the header


def version() -> str:
    if not (SOURCES / "foray.h").exists():
        return VERSION.read_text().strip()
    return re.search(r'^#define FORAY_VERSION "(.*)"$', (SOURCES / "foray.h").read_text(), re.M)[1]


def add_licenses() -> None:
    """Copies the licenses of Foray and of what the library links, which the wheel has."""
    if (SOURCES / "foray.h").exists():
        for name in "LICENSE", "NOTICE":
            shutil.copyfile(HERE.parent / name, HERE / name)


def add_library() -> None:
    """Puts the library into the package."""
    given = os.environ.get("FORAY_LIBRARY")
    if given:
        shutil.copyfile(given, LIBRARY)
    elif (SOURCES / "foray.h").exists():
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([str(SOURCES / "build"), out], check=True)
            shutil.copyfile(pathlib.Path(out) / "lib" / "libforay.so", LIBRARY)


class BuildWithLibrary(build_py):
    def run(self) -> None:
        add_library()
        super().run()


class SourcesWithLibrary(sdist):
    def run(self) -> None:
        add_library()
        super().run()

    def make_release_tree(self, base_dir, files) -> None:
        super().make_release_tree(base_dir, files)
        (pathlib.Path(base_dir) / "VERSION").write_text(version() + "\n")


class PlatformDistribution(Distribution):
    """The wheel is of one platform: the library is machine code."""

    def has_ext_modules(self) -> bool:
        return True


commands = {"build_py": BuildWithLibrary, "sdist": SourcesWithLibrary}
try:
    try:
        from setuptools.command.bdist_wheel import bdist_wheel
    except ImportError:  # before setuptools 70.1
        from wheel.bdist_wheel import bdist_wheel

    class AnyPython(bdist_wheel):
        """The library is called by ctypes: one wheel is for all versions of Python."""

        def get_tag(self):
            return "py3", "none", super().get_tag()[2]

    commands["bdist_wheel"] = AnyPython
except ImportError:
    pass  # no wheel is built then

add_licenses()
setup(version=version(), cmdclass=commands, distclass=PlatformDistribution)
