from __future__ import annotations

import pytest

from barcodesvc.symbols.names import normal_name


@pytest.mark.parametrize("name", ["Code 128", "code-128", "CODE_128", "-" * 90 + "code128"])
def test_names_are_compared_without_case_and_separators(name: str) -> None:
    """All of these are one name."""
    assert normal_name(name) == "code128"


@pytest.mark.parametrize("name", ["-" * 100 + "code128", "\u0130" * 2_000_000])
def test_a_name_that_is_too_long_is_none(name: str) -> None:
    """It is compared with nothing: to fold four megabytes takes most of a second."""
    assert normal_name(name) == ""
