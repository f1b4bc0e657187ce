"""A server with password authentication and TLS: where the password may be given, and the effect of TLS options."""

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("asyncpg")

import trustme
from psutil import Process

from barcodesvc.addresses import POSTGRESQL, ServerAddress
from barcodesvc.errors import StartError
from barcodesvc.store.engines import open_database
from tests.engines import answered
from tests.servers.postgres import USER, PostgresServer

PASSWORD = "s3cr3t:/?#@PW"  # noqa: S105 - a test's own
ESCAPED = "s3cr3t%3A%2F%3F%23%40PW"
HOST = "127.0.0.1"
TILL = "till"
"""A role that authenticates with a certificate."""
IS_TLS = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'barcodesvc'"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Return the certificate authority that both sides trust."""
    return trustme.CA()


@pytest.fixture(scope="module")
def port(folder: Path, authority: trustme.CA) -> Iterator[int]:
    """Return the port of a server that requires a password (SCRAM) or, from one role, a certificate."""
    with socket.create_server((HOST, 0)) as free:
        number = free.getsockname()[1]
    (folder / "password").write_text(PASSWORD)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    issued = authority.issue_cert(HOST)
    issued.private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
    files = {"ssl_cert_file": "server.pem", "ssl_key_file": "server.pem", "ssl_ca_file": "ca.pem"}
    settings = {"listen_addresses": HOST, "port": str(number), "ssl": "on"}
    server = PostgresServer(folder, {**settings, **{name: str(folder / file) for name, file in files.items()}})
    password = f"--pwfile={folder / 'password'}"
    server.set_up("--encoding=UTF8", "--locale=C", "--auth-host=scram-sha-256", password)
    owner = folder.stat()
    os.chown(folder / "server.pem", owner.st_uid, owner.st_gid)
    (folder / "server.pem").chmod(0o600)
    rules = folder / "data" / "pg_hba.conf"
    rules.write_text(f"hostssl all {TILL} {HOST}/32 cert\n{rules.read_text()}")
    server.start()
    yield number
    server.stop()


@pytest.fixture
def without_password(port: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Return the server's address, with the password given nowhere else either."""
    for name in ("PGPASSWORD", "PGPASSFILE", "PGSSLMODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return f"postgresql://{USER}@{HOST}:{port}/postgres"


@pytest.fixture
def with_password(without_password: str) -> str:
    """Return the server's address with the password in it."""
    return without_password.replace("@", f":{ESCAPED}@")


@pytest.fixture
def pgpass(tmp_path: Path, port: int) -> Path:
    """Return a password file, in the format of PostgreSQL's programs."""
    file = tmp_path / "passwords"
    file.write_text(f"{HOST}:{port}:*:{USER}:{PASSWORD}\n")
    file.chmod(0o600)
    return file


async def speaks_tls(url: str, administrator: str) -> bool:
    """Start on a server, and return whether all connections of the service are encrypted."""
    async with open_database(ServerAddress.parsed(url, POSTGRESQL)) as database:
        assert await database.row("ping") == (1,)
        [(is_tls,)] = await answered(administrator, IS_TLS)
        return bool(is_tls)


async def refusal(url: str) -> str:
    """Return the message of a start with this address, once its connections have ended.

    asyncpg does not wait for the end of TLS, so the event loop could be closed before it.
    """
    with pytest.raises(StartError) as refused:
        async with open_database(ServerAddress.parsed(url, POSTGRESQL)):
            pass
    async with asyncio.timeout(10.0):
        while any(urlsplit(url).port in each.raddr for each in Process().net_connections("tcp")):  # noqa: ASYNC110 - it sends no event
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.01)  # the event loop sees the end
    return str(refused.value)


async def test_a_password_may_stand_in_four_places(
    without_password: str, with_password: str, pgpass: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the address, the environment, a file named by either of them, and the file in the home folder."""
    assert await speaks_tls(with_password, with_password)
    assert await speaks_tls(f"{without_password}?passfile={pgpass}", with_password)
    with monkeypatch.context() as patch:
        patch.setenv("PGPASSWORD", PASSWORD)
        assert await speaks_tls(without_password, with_password)
    with monkeypatch.context() as patch:
        patch.setenv("PGPASSFILE", str(pgpass))
        assert await speaks_tls(without_password, with_password)
    assert "cannot be used" in await refusal(without_password)
    pgpass.rename(tmp_path / ".pgpass")
    assert await speaks_tls(without_password, with_password)


async def test_a_wrong_password_is_refused_and_not_shown(
    without_password: str, pgpass: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds for each of these places."""
    wrong = "n0t-the-0ne"
    why = f'cannot be used: password authentication failed for user "{USER}"'
    pgpass.write_text(pgpass.read_text().replace("s3cr3t", wrong))
    given = [without_password.replace("@", f":{wrong}@"), f"{without_password}?passfile={pgpass}"]
    said = [await refusal(url) for url in given]
    monkeypatch.setenv("PGPASSWORD", wrong)
    said.append(await refusal(without_password))
    assert [(why in text, wrong in text) for text in said] == [(True, False)] * 3


async def test_the_server_proves_itself_where_that_is_asked_for(with_password: str, folder: Path) -> None:
    """Its certificate must be for its name, and from the authority that the address names."""
    trusted = f"sslmode=verify-full&sslrootcert={folder / 'ca.pem'}"
    assert await speaks_tls(f"{with_password}?{trusted}", with_password)
    trustme.CA().cert_pem.write_to_path(str(folder / "other.pem"))
    other = await refusal(f"{with_password}?sslmode=verify-full&sslrootcert={folder / 'other.pem'}")
    assert "certificate verify failed" in other
    assert PASSWORD not in other
    assert "certificate" in await refusal(f"{with_password.replace(HOST, 'localhost')}?{trusted}")


async def test_tls_may_be_left_out(with_password: str) -> None:
    """For example, in front of a proxy that adds TLS."""
    assert not await speaks_tls(f"{with_password}?sslmode=disable", with_password)


async def test_a_role_may_prove_itself_by_a_certificate(
    without_password: str, with_password: str, folder: Path, authority: trustme.CA
) -> None:
    """The address names the certificate and its key; without them the role is refused."""
    await answered(with_password, f"CREATE ROLE {TILL} SUPERUSER LOGIN")
    issued = authority.issue_cert(f"{TILL}@shop.example", common_name=TILL)
    issued.private_key_and_cert_chain_pem.write_to_path(str(folder / "till.pem"))
    url = f"{without_password.replace(f'//{USER}@', f'//{TILL}@')}?sslmode=require"
    assert await speaks_tls(f"{url}&sslcert={folder / 'till.pem'}&sslkey={folder / 'till.pem'}", with_password)
    assert "cannot be used" in await refusal(url)
