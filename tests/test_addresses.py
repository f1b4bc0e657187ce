"""Server addresses: which values are addresses, and that no message shows a password in one."""

from pathlib import Path

import pytest

from barcodesvc.__main__ import main
from barcodesvc.addresses import POSTGRESQL, VALKEY, ServerAddress, database_place

SECRET = "s3cr3tPW"  # noqa: S105 - a test's own

FOREIGN = (
    f"postgresql+asyncpg://u:{SECRET}@h/shop",
    f"postgresql:/u:{SECRET}@h/shop",
    f"jdbc:postgresql://h/shop?user=u&password={SECRET}",
    f"'postgresql://u:{SECRET}@h/shop'",
    f"DATABASE_URL=postgresql://u:{SECRET}@h/shop",
    f"shop:{SECRET}@h/shop",
    f"host=h user=u password={SECRET}",
)
AMBIGUOUS = (
    f"postgresql://u:12/{SECRET}@127.0.0.1/shop",
    f"postgresql://u:#{SECRET}@127.0.0.1/shop",
    f"postgresql://u:1?{SECRET}@127.0.0.1/shop",
    f"postgresql://u:x@{SECRET}@127.0.0.1/shop",
    f"postgresql://u:[{SECRET}@127.0.0.1/shop",
    f"postgresql://u:x@127.0.0.1/shop#{SECRET}",
    f"POSTGRES://u:12/{SECRET}@127.0.0.1/shop",
)


@pytest.mark.parametrize("address", FOREIGN + AMBIGUOUS)
def test_no_message_shows_a_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, address: str
) -> None:
    """An invalid address stops the start and a copy, the message names the setting or argument, and no file is made."""
    monkeypatch.chdir(tmp_path)
    for arguments in (["copy", address, "x.db"], ["copy", "x.db", address]):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 2
    monkeypatch.setenv("BARCODESVC_DATABASE", address)
    assert main() == 2
    output, errors = capsys.readouterr()
    assert all(f"{name}: is " in errors for name in ("argument FROM", "argument TO", "BARCODESVC_DATABASE"))
    assert SECRET not in output + errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"postgresql://u:{SECRET}@h:1/shop", "postgresql://u@h:1/shop"),
        (f"postgresql://h/shop?pass%77ord={SECRET}&sslmode=require", "postgresql://h/shop"),
        (f"postgresql:///shop?host=/run/pg&password={SECRET}", "postgresql:///shop"),
    ],
)
def test_an_address_is_shown_without_password_and_options(url: str, shown: str) -> None:
    """Any option may hold a secret."""
    address = ServerAddress.parsed(url, POSTGRESQL)
    assert (str(address), repr(address)) == (shown, f"ServerAddress({shown!r})")


@pytest.mark.parametrize("part", [f":#{SECRET}@h/0", f":1/{SECRET}@h/0", f":1?{SECRET}@h/0", f":x@{SECRET}@h"])
def test_an_unescaped_password_is_refused(part: str) -> None:
    """It would end too early, and its rest would be shown; the message says how to escape it."""
    with pytest.raises(ValueError, match=r"is not an address such as valkey://.*%3A %2F %3F %23 %40") as refusal:
        ServerAddress.parsed(f"valkey://{part}", VALKEY)
    assert SECRET not in str(refusal.value)


def test_an_escaped_password_is_accepted() -> None:
    """Each of its characters may be percent-encoded."""
    place = database_place(" postgresql://u:%3A%2F%3F%23%40@h/shop ")
    assert isinstance(place, ServerAddress)
    assert place.url == "postgresql://u:%3A%2F%3F%23%40@h/shop"


@pytest.mark.parametrize(
    "name", ["shop.db", "/srv/12:30@till/shop.db", "./ab:b@c.db", "a@b.db", "C:/shop.db", "a=b.db"]
)
def test_a_path_is_a_path(name: str) -> None:
    """This includes characters that addresses use."""
    assert database_place(name) == Path(name)
