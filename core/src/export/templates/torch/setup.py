"""Has build.py make the extension before the package is packed; pyproject.toml says the rest."""

import pathlib
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py


class Build(build_py):
    def run(self):
        subprocess.run([sys.executable, pathlib.Path(__file__).resolve().with_name("build.py")], check=True)
        super().run()


class Binary(Distribution):
    """A wheel for this platform alone."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": Build}, distclass=Binary)
