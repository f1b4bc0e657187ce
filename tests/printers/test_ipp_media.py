import pytest

from barcodesvc.printers.ipp_attributes import has_size, margins, ready_media, told
from barcodesvc.printers.ipp_messages import Response, Tag
from tests.sweeps import sweep


def saying(**attributes: object) -> Response:
    """Return what a printer says of itself."""
    listed = {
        name.replace("_", "-"): value if isinstance(value, list) else [value] for name, value in attributes.items()
    }
    return Response(0, {Tag.PRINTER_GROUP: listed})


def sized(width: object, length: object, **more: object) -> dict[str, object]:
    """Return a collection with this size."""
    return {"media-size": {"x-dimension": width, "y-dimension": length}, **more}


NAMES = {
    "iso_a4_210x297mm": "210x297mm",
    "oe_address-label_1.125x3.5in": "28.58x88.9mm",
    "custom_54x25mm_54x25mm": "54x25mm",
    "roll_current_62x0mm": "62mm roll",
    "custom_min_10x10mm": "",
    "roll_max_62x1000mm": "",
    "labels": "",
    "oe_0x0in_0x0in": "",
}


@sweep(("name", "said"), NAMES.items())
def test_names_have_sizes(name: str, said: str) -> None:
    """Those of PWG 5101.1 end with the size; limits of sizes are no media, and other names tell nothing."""
    assert told(ready_media(saying(media_ready=name))) == said


def test_collections_count_before_names() -> None:
    """They are exact, and have margins."""
    listed = [sized(5400, 2500), sized(5400, 2500), sized(6200, b"")]
    assert told(ready_media(saying(media_ready="iso_a4_210x297mm", media_col_ready=listed))) == "54x25mm or 62mm roll"


SIZES = {
    (54.0, 25.0): True,
    (53.1, 25.9): True,
    (25.0, 54.0): True,
    (54.0, 30.0): False,
    (62.0, 29.0): True,
    (62.0, 500.0): True,
    (50.0, 500.0): False,
}


@sweep(("media", "is_there"), SIZES.items())
def test_sizes_are_compared(media: tuple[float, float], is_there: bool) -> None:  # noqa: FBT001 - a case
    """Rounded sizes and turned ones are the same, and a roll without labels has any length."""
    assert has_size(ready_media(saying(media_col_ready=[sized(5400, 2500), sized(6200, 0)])), *media) is is_there


def test_margins_are_those_of_the_size() -> None:
    """Those of a turned media would be at other edges."""
    edges = {f"media-{edge}-margin": number for number, edge in enumerate(("bottom", "left", "right", "top"))}
    ready = ready_media(saying(media_col_ready=[sized(21000, 29700), sized(5400, 2500, **edges)]))
    assert margins(ready, 54.0, 25.0) == edges
    assert margins(ready, 25.0, 54.0) == margins(ready, 210.0, 297.0) == {}


NONSENSE = [None, 7, b"x", {}, {"media-size": 7}, sized("5400", 2500), sized(0, 0), sized(-1, 5), sized(10**9, 5)]


@pytest.mark.parametrize("value", NONSENSE, ids=str)
def test_nonsense_is_no_media(value: object) -> None:
    """A printer may say anything; then nothing is known of what is in it."""
    assert ready_media(saying(media_col_ready=[value])) == ()
