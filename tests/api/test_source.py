"""Every user finds the source code and the licence of the service (AGPL-3.0, section 13)."""

from importlib.metadata import version

import pytest

from barcodesvc.config import load_settings
from barcodesvc.errors import StartError
from tests.fixture_types import Client, ClientMaker

CHANGED = "https://shop.example/source.tar.gz"


async def test_a_release_names_itself_and_its_licence(client: Client) -> None:
    """Where no other address is configured."""
    response = await client.get("/source")
    assert (response.status, response.content_type) == (200, "text/plain")
    text = await response.text()
    assert text.startswith(f"barcodesvc {version('barcodesvc')}\n")
    assert "AGPL-3.0-or-later" in text


async def test_a_changed_copy_leads_to_its_source_code(make_client: ClientMaker) -> None:
    """Without a key as well: everyone who reaches the service may have it."""
    client = await make_client(source_url=CHANGED, api_key=("k" * 24,))
    response = await client.get("/source", allow_redirects=False)
    assert (response.status, response.headers["Location"]) == (302, CHANGED)


@pytest.mark.parametrize("address", ["shop.example", "javascript:alert(1)", "https://a b"])
def test_only_an_address_of_the_web_is_accepted(address: str) -> None:
    """The page links to it."""
    with pytest.raises(StartError, match=r"BARCODESVC_SOURCE_URL: .* is not an address such as"):
        load_settings({"BARCODESVC_SOURCE_URL": address})
