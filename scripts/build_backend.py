"""The build of the wheel by setuptools, with the web app's code reader in it, if npm can fetch that."""

from __future__ import annotations

import sys
from typing import Any

from code_reader import fetch
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - the other hooks of PEP 517 and PEP 660


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Fetch the code reader and build the wheel; return the name of its file."""
    if problem := fetch():
        print(problem, file=sys.stderr)
    name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name
