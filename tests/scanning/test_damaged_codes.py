"""Codes as the service draws them, with one damage each, against other readers by themselves."""

import pytest

from scripts.benchmarks.pictures import SERVICE, STEP_OF_DAMAGED, tally
from tests.scanning.pictures.drawn_codes import ALIKE, DAMAGES, cases


@pytest.mark.parametrize("damage", DAMAGES)
def test_at_least_as_much_is_read_as_by_others(damage: str) -> None:
    """One call of zxing-cpp reads no more of any symbology, nor does ZBar or libdmtx where it is installed."""
    wanted = [case for case in cases(damage, STEP_OF_DAMAGED) if case.name not in ALIKE]
    counted = tally(wanted[::8])
    assert counted.behind() == []
    assert counted.wrong[SERVICE] == 0
