"""Settings: their defaults, how their texts are read, and which are refused, with what the message says."""

import socket
from ipaddress import ip_network
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from barcodesvc.__main__ import main
from barcodesvc.addresses import ServerAddress, database_place
from barcodesvc.config import Rate, Settings, load_settings
from barcodesvc.errors import StartError
from tests.sweeps import sweep

SECRET = "s3cr3tPW"  # noqa: S105 - a test's own
NOT_ADDRESSES = (
    f"postgresql+asyncpg://u:{SECRET}@h/shop",
    f"postgresql:/u:{SECRET}@h/shop",
    f"jdbc:postgresql://h/shop?user=u&password={SECRET}",
    f"DATABASE_URL=postgresql://u:{SECRET}@h/shop",
    f"shop:{SECRET}@h/shop",
    f"postgresql://u:12/{SECRET}@127.0.0.1/shop",
    f"postgresql://u:1?{SECRET}@127.0.0.1/shop",
    f"postgresql://u:x@{SECRET}@127.0.0.1/shop",
    f"postgresql://u:[{SECRET}@127.0.0.1/shop",
    f"postgresql://u:x@127.0.0.1/shop#{SECRET}",
)
"""Texts that look like an address of a server, or whose password ends too early."""


def refusal(**variables: str) -> str:
    """Return the message of a start with these variables."""
    with pytest.raises(StartError) as error:
        load_settings({f"BARCODESVC_{name}": value for name, value in variables.items()})
    return str(error.value)


def loaded(**variables: str) -> Settings:
    """Return the settings from these variables."""
    return load_settings({f"BARCODESVC_{name}": value for name, value in variables.items()})


def test_defaults_are_those_decided() -> None:
    """Without variables, the service has the documented defaults."""
    settings = load_settings({})
    assert (settings.host, settings.port, settings.database) == ("127.0.0.1", 8080, Path("barcodesvc.db"))
    assert settings.rate_limit == Rate(100, 900)
    assert settings.upload_rate_limit == Rate(10, 900)
    assert (settings.rate_limit_exempt, settings.trusted_proxies, settings.cors_origins) == ((), (), ())
    assert (settings.max_upload_bytes, settings.max_json_bytes) == (10_485_760, 4_194_304)
    assert (settings.max_concurrent_uploads, settings.access_log, settings.api_key) == (3, False, ())


@sweep(
    ("name", "text", "value"),
    [
        ("PORT", "0", 0),
        ("CACHE_BYTES", "0", 0),
        ("TIME_ZONE", "Asia/Kolkata", ZoneInfo("Asia/Kolkata")),
        ("CURRENCY", "eur", "EUR"),
        ("LOCALE", "de-AT", "de_AT"),
        ("DIGITAL_LINK_DOMAIN", "Id.Shop.example:8443", "id.shop.example:8443"),
        ("ACCESS_LOG", "true", True),
        ("LOG_LEVEL", "DEBUG", "DEBUG"),
        ("LABEL_FONT", __file__, Path(__file__)),
        ("SOURCE_URL", "https://shop.example/source", "https://shop.example/source"),
        ("RATE_LIMIT", "5/second", Rate(5, 1)),
        ("RATE_LIMIT", "100 per 15 minutes", Rate(100, 900)),
        ("RATE_LIMIT", " 100/15minutes ", Rate(100, 900)),
        ("RATE_LIMIT", "100/2 days", Rate(100, 172_800)),
        ("RATE_LIMIT", "100/year", Rate(100, 31_104_000)),
        ("UPLOAD_RATE_LIMIT", " Off ", None),
        ("CORS_ORIGINS", "", ()),
        ("CORS_ORIGINS", "*", ("*",)),
        (
            "CORS_ORIGINS",
            "https://Shop.Example:8443, http://[::1]:3000",
            ("https://shop.example:8443", "http://[::1]:3000"),
        ),
        ("ALLOWED_HOSTS", "Shop.Example, , till-2", ("shop.example", "till-2")),
        (
            "RATE_LIMIT_EXEMPT",
            " 10.0.0.0/8 ,,2001:db8::/32, 192.0.2.7,",
            (ip_network("10.0.0.0/8"), ip_network("2001:db8::/32"), ip_network("192.0.2.7")),
        ),
        (
            "TRUSTED_PROXIES",
            "::ffff:10.0.0.0/104, ::ffff:192.0.2.7, ::ffff:0.0.0.0/96, ::/0, 64:ff9b::/96",
            tuple(map(ip_network, ("10.0.0.0/8", "192.0.2.7/32", "0.0.0.0/0", "::/0", "64:ff9b::/96"))),
        ),
    ],
)
def test_a_text_is_read_as_it_is_meant(name: str, text: str, value: object) -> None:
    """Entries of lists are separated by commas; a month has 30 days; networks of mapped addresses are IPv4."""
    settings = loaded(**{name: text})
    assert (settings.model_fields_set, getattr(settings, name.lower())) == ({name.lower()}, value)


def test_only_what_is_handed_in_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither reading nor building settings uses the process environment; only names with the prefix are settings."""
    monkeypatch.setenv("BARCODESVC_PORT", "1")
    monkeypatch.setenv("BARCODESVC_HOTS", "x")
    assert load_settings({"PATH": "/bin", "PORT": "1", "XBARCODESVC_PORT": "2"}).port == Settings().port == 8080
    assert load_settings({"barcodesvc_port": "81"}).port == 81


@sweep(
    ("name", "value", "problem"),
    [
        ("HOST", "", "at least 1 character"),
        ("PORT", "http", "valid integer"),
        ("PORT", "65536", "less than or equal to 65535"),
        ("RATE_LIMIT", "many", "'many' is neither 'off' nor a rate such as '100/15 minutes'"),
        ("RATE_LIMIT", "0/minute", "'0/minute' is neither"),
        ("RATE_LIMIT", "1/fortnight", "neither"),
        ("UPLOAD_RATE_LIMIT", "10000000000000000/second", "neither"),
        ("RATE_LIMIT_STORE", "", "is not an address such as valkey://user@host/name"),
        ("RATE_LIMIT_STORE", "postgresql://limits.example/0", "is not an address such as valkey://"),
        (
            "RATE_LIMIT_STORE",
            "valkey://:x@y@limits.example",
            "a part of it as %3A %2F %3F %23 %40",
        ),
        ("RATE_LIMIT_EXEMPT", "10.0.0.1/8", "10.0.0.1/8 has host bits set"),
        ("RATE_LIMIT_EXEMPT", "kiosk", "'kiosk' does not appear to be an IPv4 or IPv6 network"),
        ("CORS_ORIGINS", "shop.example", "'shop.example' is neither '*' nor an origin such as"),
        ("CORS_ORIGINS", "https://shop.example/", "neither"),
        ("CORS_ORIGINS", "ftp://shop.example", "neither"),
        ("CORS_ORIGINS", "https://shop.example:port", "neither"),
        ("HOST", "a" * 64, "is not an address or name of a host; each part of a name has 1 to 63 characters"),
        ("HOST", "till..example", "'till..example' is not an address or name of a host"),
        ("ALLOWED_HOSTS", "https://a.example", "'https://a.example' is not a name of a host such as 'shop.example'"),
        ("ALLOWED_HOSTS", "shop.example:8080", "without scheme and port"),
        ("ALLOWED_HOSTS", "*", "is not a name of a host"),
        ("API_KEY", "k" * 23, "a key is 24 to 256 visible ASCII characters"),
        ("API_KEY", "k" * 257, "a key is 24 to 256 visible"),
        ("API_KEY", "k" * 24 + "," + "k" * 23, "a key is 24 to 256 visible"),
        ("API_KEY", "a key of several words that are secret", "a key is 24 to 256 visible"),
        ("API_KEY", ",,,", "set, but without a key; unset it to leave /api open"),
        ("MAX_UPLOAD_BYTES", "0", "greater than or equal to 1024"),
        ("UPLOAD_TIMEOUT", "0", "greater than 0"),
        ("UPLOAD_TIMEOUT", "nan", "equal to 3600"),
        ("LABEL_FONT", "/nowhere/font.ttf", "there is no file '/nowhere/font.ttf'; name a .ttf, .otf or .ttc file"),
        ("TIME_ZONE", "Europe/Atlantis", "'Europe/Atlantis' is not a time zone that this system knows"),
        ("DIGITAL_LINK_DOMAIN", "https://id.shop.example/x", "is not a domain such as 'id.shop.example'"),
        ("CURRENCY", "EURO", "'EURO' is not a currency such as 'EUR'"),
        ("LOCALE", "xx_YY", "'xx_YY' is not a locale such as 'de_DE'"),
        ("TLS_CERT", "/nowhere/shop.pem", "there is no file '/nowhere/shop.pem'; name a file in PEM"),
        ("SOURCE_URL", "javascript:alert(1)", "is not an address such as"),
        ("SOURCE_URL", "https://a b", "is not an address such as"),
        ("ACCESS_LOG", "perhaps", "valid boolean"),
        ("LOG_LEVEL", "LOUD", "'DEBUG', 'INFO', 'WARNING' or 'ERROR'"),
    ],
)
def test_a_bad_value_stops_the_start_by_name(name: str, value: str, problem: str) -> None:
    """The message names the variable, and says what would be valid."""
    message = refusal(**{name: value})
    assert message.startswith(f"BARCODESVC_{name}: ")
    assert problem in message
    assert "Value error" not in message
    assert "\n" not in message


@sweep(
    ("name", "told"),
    [
        ("HOTS", "no such setting; did you mean BARCODESVC_HOST?"),
        ("TRUSTED_PROXY", "no such setting; did you mean BARCODESVC_TRUSTED_PROXIES?"),
        ("rate_limt", "no such setting; did you mean BARCODESVC_RATE_LIMIT?"),
        ("QQQQQQQQQQQQQQQQ", "no such setting"),
    ],
)
def test_the_refusal_of_a_mistyped_variable_names_the_nearest_one(name: str, told: str) -> None:
    """An unknown setting is not silently ignored."""
    assert refusal(**{name: "1"}) == f"BARCODESVC_{name.upper()}: {told}"


@pytest.mark.parametrize("made", ["ean13:20", "ean13:2000012"])
def test_made_codes_that_a_scale_prints_are_refused(made: str) -> None:
    """A scan of one would mean another product, with a weight; numbers with other digits are fine."""
    told = refusal(IN_STORE_CODES="21IIIIIPPPPPC:2,20IIIIIWWWWWC:3", MADE_CODES=made)
    assert told.startswith(f"BARCODESVC_MADE_CODES: {made} makes numbers that fit a pattern")
    for other in (made.replace(":20", ":22"), "P{n:05}"):
        load_settings({"BARCODESVC_IN_STORE_CODES": "20IIIIIWWWWWC:3", "BARCODESVC_MADE_CODES": other})


def test_all_problems_are_reported_together() -> None:
    """One start reports every wrong variable, and every wrong entry of a list."""
    message = refusal(PORT="x", HOTS="y", TRUSTED_PROXIES="10.0.0.1/8,nope", LOG_LEVEL="z", RATE_LIMIT="?")
    names = [line.partition(":")[0].removeprefix("BARCODESVC_") for line in message.splitlines()]
    assert sorted(names) == ["HOTS", "LOG_LEVEL", "PORT", "RATE_LIMIT", "TRUSTED_PROXIES", "TRUSTED_PROXIES"]


@sweep("alone", ["TLS_CERT", "TLS_KEY"])
def test_a_certificate_and_its_key_are_set_together(alone: str) -> None:
    """One of them alone would serve plain text that was meant to be secret, or nothing."""
    told = "BARCODESVC_TLS_KEY: HTTPS needs both BARCODESVC_TLS_CERT and BARCODESVC_TLS_KEY; set both, or neither"
    assert refusal(**{alone: __file__}) == told


def test_secrets_are_never_shown() -> None:
    """Neither the settings nor the error for a bad key or address shows one, and settings can still be passed on."""
    keys = [f"first-{SECRET}-of-the-kiosks", f"second-{SECRET}-of-the-kiosks"]
    settings = loaded(
        API_KEY=", ".join(keys),
        DATABASE=f"postgresql://shop:{SECRET}@db/shop",
        RATE_LIMIT_STORE=f"valkey://:{SECRET}@db/0",
    )
    assert [key.get_secret_value() for key in settings.api_key] == keys
    for text in (repr(settings), str(settings), repr(settings.model_dump()), str(settings.database)):
        assert SECRET not in text
    assert Settings(**settings.model_dump()) == settings
    wrong = {"DATABASE": f"postgresql://:{SECRET}@db:x/", "RATE_LIMIT_STORE": f"http://:{SECRET}@db"}
    assert SECRET not in refusal(API_KEY=f"{keys[0]},{SECRET}", **wrong)


def test_a_shared_port_needs_a_server_and_a_system_that_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says why: otherwise several processes would not be one service, or fail for no visible reason."""
    server = {"REUSE_PORT": "true", "DATABASE": "postgresql://db/shop"}
    assert loaded(**server).reuse_port
    alone = "BARCODESVC_REUSE_PORT: an SQLite file belongs to one process"
    assert refusal(REUSE_PORT="true").startswith(alone)
    monkeypatch.delattr(socket, "SO_REUSEPORT")
    no_system = "BARCODESVC_REUSE_PORT: on this system two processes cannot listen on one port"
    assert refusal(**server).startswith(no_system)


@pytest.mark.parametrize("address", NOT_ADDRESSES)
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


@sweep(
    ("url", "shown"),
    [
        (f"postgresql://u:{SECRET}@h:1/shop", "postgresql://u@h:1/shop"),
        (f"postgresql://h/shop?pass%77ord={SECRET}&sslmode=require", "postgresql://h/shop"),
        (f"postgresql:///shop?host=/run/pg&password={SECRET}", "postgresql:///shop"),
        ("postgresql://u:%3A%2F%3F%23%40@h/shop", "postgresql://u@h/shop"),
    ],
)
def test_an_address_is_shown_without_password_and_options(url: str, shown: str) -> None:
    """Any option may hold a secret; the characters of a password may be percent-encoded."""
    address = database_place(f" {url} ")
    assert isinstance(address, ServerAddress)
    assert (address.url, str(address), repr(address)) == (url, shown, f"ServerAddress({shown!r})")


@sweep("name", ["shop.db", "/srv/12:30@till/shop.db", "./ab:b@c.db", "a@b.db", "C:/shop.db", "a=b.db"])
def test_a_path_is_a_path(name: str) -> None:
    """This includes characters that addresses use."""
    assert database_place(name) == Path(name)
