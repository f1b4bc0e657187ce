"""Number keys: derived whenever a product is written."""

import pytest

from tests.direct_sql import run_sql
from tests.engines import Place
from tests.fixture_types import Add

pytestmark = pytest.mark.each_engine

KEYS = {
    "4006381333931": "04006381333931",
    "4 006381 333932": "4006381333932",
    "0-36000-29145-2": "00036000291452",
    "0-8044-2957-X": "09780804429573",
    "(01) 04006381333931": "04006381333931",
    "9771234567003+05": "09771234567003+05",
    "PZN - 1234567": "-12345678",
    "36000291452": None,
    "36000 29145 2": "00036000291452",
    "ISBN 978-0-306-40615-7": "09780306406157",
    "01 04006381333930": "0104006381333930",
    "]C100340123450000000000": "(00)340123450000000000",
    "+EHWD3551419G": "+EHWD3551419",
    "A-1": None,
}


async def test_a_product_has_the_key_of_the_number_that_its_code_is(place: Place, add: Add) -> None:
    """Numbers in any spelling have a key, and other codes have none."""
    for code in KEYS:
        await add(code)
    assert dict(run_sql(place, "SELECT product_code, number_key FROM products")) == KEYS
