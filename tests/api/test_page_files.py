import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from barcodesvc.api.resources import page_files
from barcodesvc.api.resources.page_files import PageFiles, load_page
from barcodesvc.errors import StartError

STYLE = "body { color: CanvasText }\n" * 20
FILES = {
    "index.html": '<link rel="stylesheet" href="{assets}/style/main.css">',
    "service-worker.js": "const BASE = '{assets}', ALL = JSON.parse('{files}');",
    "sending-worker.js": "import '{assets}/script/scan/view.js'",
    "watchdog.js": "setTimeout(() => {}, 1)",
    "library/LICENSES.txt": "MIT",
    "style/main.css": STYLE,
    "script/scan/view.js": "export {};",
}

Load = Callable[..., PageFiles]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return a function that writes the files, with changes, into a new folder and loads it as the page."""
    made: list[Path] = []

    def write(**changes: str) -> PageFiles:
        folder = tmp_path / str(len(made))
        made.append(folder)
        for name, text in {**FILES, **{name.replace("__", "/"): text for name, text in changes.items()}}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return load_page(folder)

    return write


def _base(page: PageFiles) -> str:
    [base] = {"/".join(address.split("/")[:3]) for address in page.assets}
    return base


def test_every_file_has_its_address_below_the_hash(load: Load) -> None:
    """All except the shell, the service workers and the watchdog, whose paths are fixed."""
    page = load()
    assert set(page.assets) == {
        f"{_base(page)}/{name}" for name in ("style/main.css", "script/scan/view.js", "library/LICENSES.txt")
    }


def test_the_shell_and_the_service_worker_name_the_addresses(load: Load) -> None:
    """The folder's path, and all paths as JSON, are inserted where the files ask for them."""
    page = load()
    assert page.fixed["index.html"].plain().decode() == f'<link rel="stylesheet" href="{_base(page)}/style/main.css">'
    worker = page.fixed["service-worker.js"].plain().decode()
    assert worker.startswith(f"const BASE = '{_base(page)}'")
    assert json.loads(worker.split("'")[3]) == sorted(page.assets)
    assert page.fixed["sending-worker.js"].plain().decode() == f"import '{_base(page)}/script/scan/view.js'"


@pytest.mark.parametrize(
    "changes",
    [
        {"style__main.css": STYLE + "\n"},
        {"index.html": FILES["index.html"] + "\n"},
        {"service-worker.js": FILES["service-worker.js"] + "\n"},
        {"script__new.js": ""},
        {"script__scan__view.js": "", "script__scan__viex.js": FILES["script/scan/view.js"]},
    ],
)
def test_any_change_gives_new_addresses(load: Load, changes: dict[str, str]) -> None:
    """Any changed or added file gives another hash; equal files give the same."""
    assert _base(load()) == _base(load()) != _base(load(**changes))


def test_what_an_editor_leaves_is_no_part_of_the_page(load: Load) -> None:
    """A file with an unknown extension is not served, and changes no path."""
    assert load(**{"script__scan.js~": "x", "README.md": "x", "script__.swp": "x"}) == load()


def test_comments_of_whole_lines_are_not_sent(load: Load) -> None:
    """What shares a line with code stays, and so do the licences of other projects."""
    code = "import './x.js' // here\nconst url = 'https://x/*y*/'\n/** @type {Shop} */ (x).open()\n"
    script = f"/** A view. */\n/*\n * More.\n */\n{code}  // there\nclose() /* the\n shop */\n"
    page = load(**{"script__a.js": script, "style__x.css": "/* a */\nb {} /* c */", "library__r.js": "/* MIT */\nx()"})
    files = {address.removeprefix(f"{_base(page)}/"): file.plain().decode() for address, file in page.assets.items()}
    assert files["style/x.css"] == "b {} /* c */"
    assert files["library/r.js"] == "/* MIT */\nx()"
    assert files["script/a.js"] == f"{code}close() /* the\n shop */\n"


def test_a_file_is_compressed_once(load: Load) -> None:
    """The decompressed bytes equal the plain ones."""
    page = load()
    file = page.assets[f"{_base(page)}/style/main.css"]
    assert file.gzipped
    assert gzip.decompress(file.gzipped) == file.plain() == STYLE.encode()


def test_what_compression_makes_longer_is_not_compressed(load: Load) -> None:
    """A few bytes, or a picture, are sent uncompressed."""
    page = load()
    assert page.assets[f"{_base(page)}/script/scan/view.js"].gzipped is None


def test_a_folder_is_read_once(load: Load, tmp_path: Path) -> None:
    """Changes on disk while the service runs do not affect what it serves."""
    page = load()
    (tmp_path / "0" / "style/main.css").write_text("")
    assert load_page(tmp_path / "0") is page


@pytest.mark.parametrize("name", ["index.html", "library/LICENSES.txt"])
def test_nothing_is_served_of_a_page_that_lacks_files(load: Load, tmp_path: Path, name: str) -> None:
    """It names the files that the installation lacks."""
    load()
    (tmp_path / "0" / name).unlink()
    folder = (tmp_path / "0").rename(tmp_path / "incomplete")
    page = load_page(folder)
    assert page == PageFiles({}, {}, page.problem)
    assert f"lacks {name} in {folder}; run scripts/setup" in page.problem


def test_a_page_that_would_fill_the_memory_stops_the_start(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    """The total size of all files is limited."""
    monkeypatch.setattr(page_files, "MOST_BYTES", 500)
    with pytest.raises(StartError, match="500 bytes"):
        load()
