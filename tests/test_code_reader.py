"""scripts/code_reader.py: the pinned files for the web app, or nothing."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tarfile
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha512
from pathlib import Path

import pytest

from scripts import code_reader

Npm = Callable[[dict[str, bytes]], Path]
FILES = {
    "dist/es/share.js": b"share",
    "dist/es/reader/index.js": b"reader",
    "dist/reader/zxing_reader.wasm": b"binary",
    "LICENSE": b"MIT License",
}


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Npm:
    """Return a function that makes an npm with a package of these files, whose hash is pinned; the page is empty."""
    monkeypatch.setattr(code_reader, "FOLDER", tmp_path / "zxing")

    def make(files: dict[str, bytes]) -> Path:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for name, content in files.items():
                member = tarfile.TarInfo(f"package/{name}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        package = tmp_path / "package.tgz"
        package.write_bytes(packed.getvalue())
        monkeypatch.setattr(code_reader, "SHA512", b64encode(sha512(packed.getvalue()).digest()).decode())
        program = tmp_path / "bin" / "npm"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n[ -e {package} ] && cp {package} . && echo >>{tmp_path}/log\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
        return package

    return make


def test_the_files_are_fetched_once(npm: Npm, tmp_path: Path) -> None:
    """The binary is compressed, the licences are complete, and the next time nothing is fetched."""
    npm(FILES)
    assert [code_reader.fetch(), code_reader.fetch()] == ["", ""]
    assert (tmp_path / "log").read_text() == "\n"
    folder = tmp_path / "zxing"
    assert (folder / "share.js").read_bytes() == b"share"
    assert (folder / "reader" / "index.js").read_bytes() == b"reader"
    assert gzip.decompress((folder / "zxing_reader.wasm.gz").read_bytes()) == b"binary"
    licences = (folder / "LICENSES.txt").read_text("utf-8")
    assert licences.startswith(code_reader.PACKAGE)
    assert "MIT License" in licences
    assert "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION" in licences


def test_a_package_with_another_hash_is_not_used(npm: Npm, tmp_path: Path) -> None:
    """Whatever a registry sends, only the tested files are served."""
    npm(FILES).write_bytes(b"other")
    assert "another hash" in code_reader.fetch()
    assert not (tmp_path / "zxing").exists()


def test_without_a_registry_it_is_said_and_what_is_there_stays(npm: Npm, tmp_path: Path) -> None:
    """Another release replaces the files only once it has arrived."""
    package = npm(FILES)
    assert code_reader.fetch() == ""
    package.unlink()
    licences = tmp_path / "zxing" / "LICENSES.txt"
    licences.write_text("zxing-wasm@0.0.1\n")
    assert "the service reads" in code_reader.fetch()
    assert licences.exists()


def test_without_npm_nothing_happens(npm: Npm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The web app works without the reader."""
    npm(FILES)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert code_reader.fetch() == ""
    assert not (tmp_path / "zxing").exists()


def test_the_backend_of_the_wheel_has_every_hook() -> None:
    """It replaces only what builds the wheel."""
    hooks = "build_wheel, build_sdist, build_editable, get_requires_for_build_wheel, prepare_metadata_for_build_wheel"
    script = f"from build_backend import {hooks}; print(build_wheel.__module__, build_editable.__module__)"
    ran = subprocess.run(  # noqa: S603 - fixed text
        [sys.executable, "-c", script], cwd=code_reader.ROOT / "scripts", capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["build_backend", "setuptools.build_meta"]
