import io
from collections.abc import Callable
from pathlib import Path

import pymupdf_fonts
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.ttLib import TTFont

from barcodesvc.drawing.faces import bundled_faces, font_program, open_face
from barcodesvc.errors import StartError


def _font(tmp_path: Path, change: Callable[[TTFont], None]) -> Path:
    font = TTFont(io.BytesIO(pymupdf_fonts.myfont("spacemo")))
    change(font)
    path = tmp_path / "changed.ttf"
    font.save(path)
    return path


def _made_variable(font: TTFont) -> None:
    builder = FontBuilder(font=font)
    builder.setupFvar([("wght", 100, 400, 900, "Weight")], [])
    builder.setupGvar({})


def test_the_bundled_faces_have_the_scripts_that_the_documentation_names() -> None:
    """Each of these letters is in one of the faces, which are opened once."""
    covered = frozenset().union(*(face.covered for face in bundled_faces()))
    assert covered >= set(map(ord, "ŁőạỷșΩϋЖђἄאשبچگღनकกผ⌀≤→″★✓₹№…"))
    assert bundled_faces() is bundled_faces()


def test_a_font_that_is_read_tells_its_name_and_coverage(tmp_path: Path) -> None:
    """The name is the PostScript name without characters that a PDF name would have to escape."""
    face = open_face(_font(tmp_path, lambda font: font["name"].setName("Space (Mono) 1/2", 6, 3, 1, 0x409)))
    assert (face.name, face.units) == ("SpaceMono12", 1000)
    assert ord("a") in face.covered
    assert face.has_quadratic_outlines


@pytest.mark.parametrize("content", [b"", b"no font at all" * 100, b"\0\1\0\0" + b"\xff" * 400])
def test_what_is_no_font_stops_the_start(tmp_path: Path, content: bytes) -> None:
    """The message names the variable, the file and what would work."""
    path = tmp_path / "bad.ttf"
    path.write_bytes(content)
    with pytest.raises(StartError, match=r"BARCODESVC_LABEL_FONT: .*bad\.ttf is not a TrueType .*; name a \.ttf"):
        open_face(path)


def test_a_font_that_cannot_be_read_stops_the_start(tmp_path: Path) -> None:
    """A folder or a missing file is rejected with the system's reason."""
    with pytest.raises(StartError, match="cannot be read: No such file"):
        open_face(tmp_path / "missing.ttf")
    with pytest.raises(StartError, match="cannot be read: Is a directory"):
        open_face(tmp_path)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    """A file beyond 128 MiB is rejected for its size."""
    path = tmp_path / "huge.ttf"
    with path.open("wb") as file:
        file.truncate(128 * 1024 * 1024 + 1)
    with pytest.raises(StartError, match="is larger than 128 MiB"):
        open_face(path)


@pytest.mark.parametrize("permissions", [0x0002, 0x0100, 0x0200])
def test_a_font_that_may_not_be_embedded_is_refused(tmp_path: Path, permissions: int) -> None:
    """Restrictions in the font's OS/2 table are respected."""
    path = _font(tmp_path, lambda font: setattr(font["OS/2"], "fsType", permissions))
    with pytest.raises(StartError, match="does not permit subsets"):
        open_face(path)


def test_a_variable_font_is_set_in_its_default_instance(tmp_path: Path) -> None:
    """Its axes are pinned, because PDF has no variations."""
    path = _font(tmp_path, _made_variable)
    program = font_program(open_face(path), {5, 6})
    assert "fvar" not in TTFont(io.BytesIO(program))
