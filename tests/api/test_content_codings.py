import pytest

from barcodesvc.api.responses import wants_gzip
from tests.sweeps import sweep


@pytest.mark.parametrize(
    "accepted",
    [
        "gzip",
        "gzip, deflate, br, zstd",
        "br;q=1.0, gzip;q=0.8, *;q=0.1",
        "GZIP;Q=0.5",
        "x-gzip",
        "*",
        "gzip ; q=0.001",
        "gzip;q=1.",
        "identity;q=0.5, gzip;q=0.5",
        "identity;q=0, *",
        "nonsense;;, gzip",
    ],
)
def test_gzip_is_wanted_where_it_is_accepted(accepted: str) -> None:
    """By its name, its old name or `*`, in any company and with any weight of at least that of identity."""
    assert wants_gzip([accepted])


@sweep(
    "accepted",
    [
        "",
        "identity",
        "br",
        "gzip;q=0",
        "gzip;q=0.000, *",
        "*;q=0",
        "deflate, gzip;q=0",
        "identity;q=1, gzip;q=0.5",
        "gzip;q=2",
        "gzip;q=0.1234",
        "gzip;q=-1",
        "gzip;level=9",
        "gzipped",
        "not gzip",
    ],
)
def test_gzip_is_not_wanted_where_it_is_refused_or_less_welcome(accepted: str) -> None:
    """A weight of 0 refuses it, a greater weight of identity wins, and elements with invalid weights are ignored."""
    assert not wants_gzip([accepted])


def test_no_header_asks_for_no_encoding() -> None:
    """A client without the header gets an unencoded body."""
    assert not wants_gzip([])


def test_several_lines_are_one_list() -> None:
    """A header in several lines equals one with their elements joined (RFC 9110, 5.3)."""
    assert wants_gzip(["br", "gzip"])
    assert not wants_gzip(["gzip;q=0", "*"])
