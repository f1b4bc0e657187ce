"""The Pythons of this machine that the service supports."""

import os
import shutil
from pathlib import Path

SUPPORTED = ("3.11", "3.12", "3.13", "3.14")


def installed() -> dict[str, str]:
    """Return the path of a Python of each supported version, on PATH or known to pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found: dict[str, str] = {}
    for version in SUPPORTED:
        # those of pyenv first: on PATH it has a shim, which refuses each version that is not selected
        places = [str(folder / "bin") for folder in sorted(pyenv.glob(f"{version}.*"))]
        path = shutil.which(f"python{version}", path=os.pathsep.join([*places, os.environ.get("PATH", "")]))
        if path is not None:
            found[version] = path
    return found
