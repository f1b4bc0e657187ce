"""Addresses of servers: what is one, and that no password in one gets into a message, however it is mistyped."""

from __future__ import annotations

from pathlib import Path

import pytest

from barcodesvc.__main__ import main
from barcodesvc.addresses import POSTGRESQL, VALKEY, ServerAddress, database_place

SECRET = "s3cr3tPW"  # noqa: S105 - a test's own

FOREIGN = [
    f"postgresql+asyncpg://u:{SECRET}@h/shop",
    f"pgsql://u:{SECRET}@h/shop",
    f"postgressql://u:{SECRET}@h/shop",
    f"postgresql:/u:{SECRET}@h/shop",
    f"jdbc:postgresql://h/shop?user=u&password={SECRET}",
    f"://u:{SECRET}@h/shop",
    f"//u:{SECRET}@h/shop",
    f"u:{SECRET}@h/shop",
    f"'postgresql://u:{SECRET}@h/shop'",
    f"DATABASE_URL=postgresql://u:{SECRET}@h/shop",
    f"host=h user=u password={SECRET}",
    f"host = h dbname = {SECRET}",
    f"Server=h;Pwd={SECRET}",
]
UNESCAPED = [
    f"postgresql://u:12/{SECRET}@127.0.0.1/shop",
    f"postgresql://u:12#{SECRET}@127.0.0.1/shop",
    f"postgresql://u:#{SECRET}@127.0.0.1/shop",
    f"postgresql://u:1?{SECRET}@127.0.0.1/shop",
    f"postgresql://u:?{SECRET}@127.0.0.1/shop",
    f"postgresql://u:/{SECRET}@127.0.0.1/shop",
    f"postgresql://u:x@{SECRET}@127.0.0.1/shop",
    f"postgresql://u:[{SECRET}@127.0.0.1/shop",
    f"postgresql://u:x@127.0.0.1/shop#{SECRET}",
    f"POSTGRES://u:12/{SECRET}@127.0.0.1/shop",
]


@pytest.mark.parametrize("address", FOREIGN + UNESCAPED)
@pytest.mark.parametrize("command", [(), ("backup", "x.db"), ("restore", "x.db")], ids=["serve", "backup", "restore"])
def test_no_start_shows_a_password(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    command: tuple[str, ...],
    address: str,
) -> None:
    """What is meant as an address and is none stops it, with the name of the setting; no file is made of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BARCODESVC_DATABASE", address)
    assert main(command) == 2
    output, errors = capsys.readouterr()
    assert "BARCODESVC_DATABASE: is " in errors
    assert SECRET not in output + errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", FOREIGN + UNESCAPED)
@pytest.mark.parametrize(
    "arguments",
    [
        ("copy", "{}", "x.db"),
        ("copy", "x.db", "{}"),
        ("copy", "x.db", "y.db", "{}"),
        ("backup", "{}"),
        ("restore", "{}"),
        ("backup", "--force={}", "x.db"),
        ("{}",),
    ],
    ids=" ".join,
)
def test_no_command_shows_a_password(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: tuple[str, ...],
    address: str,
) -> None:
    """Wherever the address stands, and whether or not the command takes one there."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main([argument.format(address) for argument in arguments])
    output, errors = capsys.readouterr()
    assert (end.value.code, SECRET in output + errors) == (2, False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("variable", ["RATE_LIMIT", "HOST", "CORS_ORIGINS", "LABEL_FONT", "PORT", "TEMPORARY_FOLDER"])
def test_an_address_in_the_wrong_variable_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variable: str
) -> None:
    """The variable is named, as for any bad value."""
    monkeypatch.setenv(f"BARCODESVC_{variable}", f"valkey://:{SECRET}@.h./0")
    assert main() == 2
    errors = capsys.readouterr().err
    assert f"BARCODESVC_{variable}: the address of a server stands where none belongs" in errors
    assert SECRET not in errors


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"postgresql://u:{SECRET}@h:1/shop", "postgresql://u@h:1/shop"),
        (f"postgresql://h/shop?password={SECRET}&sslmode=require", "postgresql://h/shop?sslmode=require"),
        (f"postgresql:///shop?host=/run/pg&password={SECRET}", "postgresql:///shop?host=/run/pg"),
        (f"postgresql://h/shop?pass%77ord={SECRET}&host=/run/pg", "postgresql://h/shop?host=/run/pg"),
        (f"postgresql://h/shop?PASSWORD={SECRET}&sslpassword={SECRET}&passwrd={SECRET}", "postgresql://h/shop"),
        (f"postgresql://h/shop?sslmode=require;password={SECRET}", "postgresql://h/shop?sslmode=require"),
    ],
)
def test_an_address_is_shown_without_what_may_be_secret(url: str, shown: str) -> None:
    """The password goes, and so does any option that may be one."""
    assert str(ServerAddress.parsed(url, POSTGRESQL)) == shown
    assert SECRET not in repr(ServerAddress.parsed(url, POSTGRESQL))


@pytest.mark.parametrize("scheme", VALKEY)
@pytest.mark.parametrize("part", [f":#{SECRET}@h/0", f":1/{SECRET}@h/0", f":1?{SECRET}@h/0", f":x@{SECRET}@h"])
def test_a_store_with_a_bare_password_is_no_address(scheme: str, part: str) -> None:
    """Its password would end too early, and the rest of it would be shown."""
    with pytest.raises(ValueError, match=r"is no address such as valkey://.*%3A %2F %3F %23 %40") as refusal:
        ServerAddress.parsed(f"{scheme}://{part}", VALKEY)
    assert SECRET not in str(refusal.value)


@pytest.mark.parametrize("name", ["shop.db", "/srv/12:30@till/shop.db", "./a:b@c.db", "a@b.db", "C:/shop.db", "a=b.db"])
def test_a_path_is_a_path(name: str) -> None:
    """Also with characters that addresses have."""
    assert database_place(name) == Path(name)


def test_an_escaped_password_is_taken() -> None:
    """Each character may stand in one as a percent sign and its number."""
    place = database_place(" postgresql://u:%3A%2F%3F%23%40@h/shop ")
    assert isinstance(place, ServerAddress)
    assert place.url == "postgresql://u:%3A%2F%3F%23%40@h/shop"
