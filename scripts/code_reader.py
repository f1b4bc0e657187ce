"""Fetches the web app's code reader into its folder: zxing-cpp as WebAssembly, from npm's package zxing-wasm.

Its files are pinned by the hash of the package, and never committed. Where npm is missing or reaches no registry, the
web app works without them: the service reads the pictures of its camera.
"""

from __future__ import annotations

import gzip
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from base64 import b64encode
from hashlib import sha512
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "barcodesvc" / "page" / "zxing"
PACKAGE = "zxing-wasm@3.1.4"
SHA512 = "1+v8p7sauddySVNG+ye7GD/0TS95BG2ycdkrC+EnBrFBFkHeIghzUt2yVjtx3NucJeNrQnhT8yGAIz60Vx9o0w=="
"""The hash of the package in base64, as npm publishes it."""
_SCRIPTS = {"dist/es/share.js": "share.js", "dist/es/reader/index.js": "reader/index.js"}
_BINARY = "dist/reader/zxing_reader.wasm"
_LICENCES = "LICENSES.txt"
"""Written last: a folder without it is incomplete."""
_NOTICE = f"""\
{PACKAGE}

zxing-wasm has the MIT License, whose text comes first. zxing_reader.wasm contains zxing-cpp, which has the Apache
License 2.0, whose text follows, and the system libraries of Emscripten, under the MIT License (musl) and the Apache
License 2.0 with LLVM exceptions (libc++, compiler-rt).

"""
_PATIENCE = 60


def fetch() -> str:
    """Fetch the files if they are missing or of another release; return why that failed, or nothing."""
    licences = FOLDER / _LICENCES
    npm = shutil.which("npm")
    if npm is None or (licences.is_file() and licences.read_text("utf-8").startswith(f"{PACKAGE}\n")):
        return ""
    with tempfile.TemporaryDirectory() as folder:
        try:
            package = _packed(npm, Path(folder))
        except (OSError, subprocess.SubprocessError):
            return f"npm could not fetch {PACKAGE}; until it can, the service reads what the web app's camera sees"
    if b64encode(sha512(package).digest()).decode() != SHA512:
        return f"{PACKAGE} has another hash than it should have, and is not used"
    _unpack(package)
    return ""


def _packed(npm: str, folder: Path) -> bytes:
    patience = ("--fetch-retries=0", f"--fetch-timeout={_PATIENCE * 1000 // 2}")
    command = [npm, "pack", PACKAGE, "--silent", "--ignore-scripts", *patience]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=_PATIENCE)  # noqa: S603 - fixed text
    [package] = folder.glob("*.tgz")
    return package.read_bytes()


def _unpack(package: bytes) -> None:
    """Write the files that the page serves; the binary is compressed here, and not at each start of the service."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "reader").mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:
        for name, place in _SCRIPTS.items():
            (FOLDER / place).write_bytes(_member(archive, name))
        (FOLDER / "zxing_reader.wasm.gz").write_bytes(gzip.compress(_member(archive, _BINARY), mtime=0))
        licence = _member(archive, "LICENSE").decode()
    apache = (ROOT / "scripts" / "apache-2.0.txt").read_text("utf-8")
    (FOLDER / _LICENCES).write_text(f"{_NOTICE}{licence}\n{apache}", "utf-8")


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(f"package/{name}")
    if file is None:
        raise RuntimeError(f"{PACKAGE} has no file {name}")
    return file.read()


if __name__ == "__main__":
    if problem := fetch():
        print(problem, file=sys.stderr)
