"""Other programs that read codes: ZBar and libdmtx, as Debian packages them (`zbar-tools`, `dmtx-utils`)."""

import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

ZBAR, DMTX = "zbarimg", "dmtxread"
_NAMESPACE = "{http://zbar.sourceforge.net/2008/barcode}"
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b-\x1f]")
_POINT = re.compile(r"([+-]?[0-9]+),([+-]?[0-9]+)")
_SECONDS = 600
_MILLISECONDS_OF_DMTX = "1000"


def has_reader(program: str) -> bool:
    """Return whether this machine has the program."""
    return shutil.which(program) is not None


@dataclass(frozen=True, slots=True)
class Seen:
    """A code that a reader has found: its text, and its corners."""

    text: str
    corners: tuple[tuple[float, float], ...]

    @property
    def middle(self) -> tuple[float, float]:
        """The mean of the corners."""
        x, y = (sum(each) / len(self.corners) for each in zip(*self.corners, strict=True))
        return x, y


def seen_by_zbar(pictures: Iterable[Path]) -> dict[Path, list[Seen]]:
    """Return the codes that ZBar finds in each picture."""
    command = [ZBAR, "--quiet", "--xml", "-S*.enable", *map(str, pictures)]
    run = subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS)  # noqa: S603 - fixed
    printed = _NOT_IN_XML.sub("", run.stdout.decode("utf-8", "replace"))
    document = ET.fromstring(printed)  # noqa: S314 - written by the program
    return {
        Path(source.attrib["href"]): [_seen(symbol) for symbol in source.iter(f"{_NAMESPACE}symbol")]
        for source in document.iter(f"{_NAMESPACE}source")
    }


def _seen(symbol: ET.Element) -> Seen:
    polygon, data = symbol.find(f"{_NAMESPACE}polygon"), symbol.find(f"{_NAMESPACE}data")
    points = [] if polygon is None else _POINT.findall(polygon.attrib["points"])
    text = "" if data is None else data.text or ""
    return Seen(text, tuple((float(x), float(y)) for x, y in points) or ((0.0, 0.0),))


def texts_by_dmtx(pictures: Iterable[Path]) -> dict[Path, list[str]]:
    """Return the text that libdmtx finds in each picture."""
    command = [DMTX, "-N1", "-m", _MILLISECONDS_OF_DMTX]
    found: dict[Path, list[str]] = {}
    for picture in pictures:
        run = subprocess.run(  # noqa: S603 - fixed
            [*command, str(picture)], capture_output=True, check=False, timeout=_SECONDS
        )
        found[picture] = [run.stdout.decode("utf-8", "replace")] if run.stdout else []
    return found


def plain(text: str) -> str:
    """Return the letters and digits of a text without symbology identifier, add-on and leading zeros.

    Programs write separators, identifiers and the zeros of a UPC in many ways.
    """
    return re.sub(r"^\][A-Za-z][0-9]|\+[0-9]+$|[^0-9A-Za-z]", "", text).lstrip("0")
