"""What a start reports about a server that cannot be used, and about features that it lacks."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("asyncpg")

from barcodesvc.__main__ import main
from barcodesvc.addresses import POSTGRESQL, ServerAddress
from barcodesvc.errors import StartError
from barcodesvc.store.engines import open_database
from barcodesvc.store.limits import DatabaseLimits
from barcodesvc.store.postgres import migrations
from tests.direct_sql import run_sql
from tests.engines import ServerPlaces

SCALING = Path(__file__).parents[3] / "docs" / "limits-and-load.md"
SECRET = "s3cr3tPW"  # noqa: S105 - a test's own


async def refusal(url: str) -> str:
    """Return the message of a start with this address."""
    with pytest.raises(StartError) as refused:
        async with open_database(ServerAddress.parsed(url, POSTGRESQL), limits=DatabaseLimits(busy_timeout=0.2)):
            pass
    assert SECRET not in str(refused.value)
    return str(refused.value)


def with_options(place: ServerAddress, options: str) -> str:
    """Return the address of a database with more options."""
    return f"{place.url}{'&' if urlsplit(place.url).query else '?'}{options}"


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Return a port that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


async def test_a_server_that_is_not_there_is_named(silent_port: int) -> None:
    """The message has the setting and the address, but not the password, even if the server does not respond."""
    away = await refusal(f"postgresql://u:{SECRET}@127.0.0.1:1/shop?sslmode=disable")
    assert away.startswith("BARCODESVC_DATABASE: postgresql://u@127.0.0.1:1/shop cannot be used: [Errno")
    silent = await refusal(f"postgresql://u:{SECRET}@127.0.0.1:{silent_port}/shop")
    assert silent == f"BARCODESVC_DATABASE: postgresql://u@127.0.0.1:{silent_port}/shop cannot be used: TimeoutError"


def test_a_copy_says_which_of_two_servers_is_away(place: ServerAddress, capsys: pytest.CaptureFixture[str]) -> None:
    """The unusable address precedes the reason."""
    assert main(["copy", place.url, f"postgresql://u:{SECRET}@127.0.0.1:1/shop"]) == 2
    errors = capsys.readouterr().err
    assert ": postgresql://u@127.0.0.1:1/shop cannot be used: " in errors
    assert SECRET not in errors


async def test_an_option_that_the_server_does_not_know_is_named(place: ServerAddress) -> None:
    """The message says that it is an option of the address."""
    refused = await refusal(with_options(place, f"passwrd={SECRET}"))
    assert refused == (
        f'BARCODESVC_DATABASE: {place} cannot be used: unrecognized configuration parameter "passwrd"; '
        "it is an option of the address"
    )


@pytest.mark.parametrize(
    "options",
    [
        "connect_timeout=3&keepalives=1&keepalives_idle=30&keepalives_interval=10&keepalives_count=3",
        "channel_binding=disable&gssencmode=disable&sslsni=1&sslcompression=0",
        "channel_binding=prefer&tcp_user_timeout=1000&load_balance_hosts=disable&sslmode=prefer&search_path=public",
    ],
)
async def test_an_address_of_a_hosted_database_is_taken(
    place: ServerAddress, tmp_path: Path, options: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options for PostgreSQL's own programs are accepted, to serve from it and to copy it."""
    url = with_options(place, options)
    async with open_database(ServerAddress.parsed(url, POSTGRESQL)) as database:
        assert await database.row("ping") == (1,)
    assert await asyncio.to_thread(main, ["copy", url, str(tmp_path / "copy.db")]) == 0, capsys.readouterr().err


async def test_what_is_required_and_cannot_be_had_is_refused(place: ServerAddress) -> None:
    """It is not skipped like an option that is only preferred."""
    url = with_options(place, "channel_binding=require")
    assert '"channel_binding"; it is an option of the address' in await refusal(url)


async def test_an_extension_outside_of_the_search_path_is_logged(
    postgres: ServerPlaces, caplog: pytest.LogCaptureFixture
) -> None:
    """The advice in the log helps: the next start creates the index."""
    with postgres.empty() as place:
        run_sql(place, "CREATE SCHEMA ext", "CREATE EXTENSION pg_trgm SCHEMA ext")
        async with open_database(place):
            pass
        assert "pg_trgm is in no schema of the search_path" in caplog.text
        assert "CREATE EXTENSION" not in caplog.text
        caplog.clear()
        run_sql(place, f"ALTER DATABASE {urlsplit(place.url).path[1:]} SET search_path = public, ext")
        async with open_database(place):
            pass
        assert caplog.messages == []
        assert run_sql(place, "SELECT to_regclass('products_by_trigrams') IS NOT NULL") == [(True,)]


async def test_five_that_start_at_once_migrate_once(postgres: ServerPlaces) -> None:
    """One creates the tables, the others find them."""
    with postgres.empty() as place:

        async def start() -> None:
            async with open_database(place):
                pass

        await asyncio.gather(*(start() for _ in range(5)))
        assert run_sql(place, "SELECT COUNT(*) FROM schema_version") == [(1,)]


async def test_a_database_of_another_program_is_refused(postgres: ServerPlaces) -> None:
    """It is not modified."""
    with postgres.empty() as place:
        run_sql(place, "CREATE TABLE invoices (id INTEGER)")
        with pytest.raises(StartError, match="belongs to another program"):
            async with open_database(place):
                pass
        tables = run_sql(place, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        assert tables == [("invoices",)]


async def test_what_an_extension_shows_is_no_other_program(postgres: ServerPlaces) -> None:
    """Views of extensions, such as those of pg_stat_statements, may exist in the schema of the tables."""
    with postgres.empty() as place:
        run_sql(place, "CREATE VIEW pg_stat_statements AS SELECT 1 AS calls")
        async with open_database(place) as database:
            assert await database.is_well()


async def test_a_server_that_is_too_old_is_refused(place: ServerAddress, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every server is too old for a release that requires a future one; the page on scaling names today's version."""
    assert f"- PostgreSQL {migrations.LEAST_VERSION} or newer" in SCALING.read_text("utf-8")
    monkeypatch.setattr(migrations, "LEAST_VERSION", 9999)
    with pytest.raises(StartError, match=r"^PostgreSQL [0-9]+ is too old; 9999 or newer is needed$"):
        async with open_database(place):
            pass


async def test_texts_that_are_not_utf8_are_refused(postgres: ServerPlaces) -> None:
    """A database with another encoding would refuse texts later, one by one."""
    with (
        postgres.empty("TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'") as place,
        pytest.raises(StartError, match="createdb --encoding=UTF8"),
    ):
        async with open_database(place):
            pass
