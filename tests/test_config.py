import socket
from ipaddress import ip_network
from pathlib import Path

import pytest

from barcodesvc.config import Rate, Settings, load_settings
from barcodesvc.errors import StartError
from tests.sweeps import sweep


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
    assert (settings.max_concurrent_uploads, settings.access_log) == (3, False)


def test_every_setting_is_a_variable() -> None:
    """All variables of the decisions exist, and each value reaches its field."""
    settings = loaded(
        HOST="::",
        PORT="0",
        DATABASE="/data/shop.db",
        BUSY_TIMEOUT="1.5",
        SLOW_QUERY="0.25",
        IDEMPOTENCY_DAYS="7",
        RATE_LIMIT="5/second",
        UPLOAD_RATE_LIMIT="off",
        PAGE_RATE_LIMIT="7/second",
        RATE_LIMIT_STORE="valkeys://counter@limits.example/0",
        RATE_LIMIT_EXEMPT="10.0.0.0/8",
        TRUSTED_PROXIES="192.0.2.1",
        API_KEY="k" * 24,
        CORS_ORIGINS="*",
        ALLOWED_HOSTS="shop.example",
        MAX_UPLOAD_BYTES="2048",
        MAX_JSON_BYTES="1024",
        MAX_CONCURRENT_UPLOADS="1",
        UPLOAD_TIMEOUT="0.5",
        MAX_CONCURRENT_EXPORTS="2",
        MAX_EXPORT_BYTES="2048",
        MAX_CONNECTIONS="8",
        MAX_REQUESTS="9",
        MAX_ARRIVING_BYTES="1024",
        HEAD_TIMEOUT="1.5",
        IDLE_TIMEOUT="2.5",
        STOP_TIMEOUT="3.5",
        IMAGE_THREADS="3",
        PRINTERS="office=ipp://printer?label=50x30mm",
        PRINT_JOBS="8",
        PRINT_JOB_DAYS="9",
        PRINT_TRY_HOURS="1.5",
        RENDER_THREADS="4",
        CACHE_BYTES="0",
        REUSE_PORT="false",
        TEMPORARY_FOLDER="/data/temporary",
        LABEL_FONT=__file__,
        TIME_ZONE="Asia/Kolkata",
        CURRENCY="eur",
        LOCALE="de-AT",
        DIGITAL_LINK_DOMAIN="Id.Shop.example:8443",
        TLS_CERT=__file__,
        TLS_KEY=__file__,
        ACCESS_LOG="true",
        METRICS="false",
        LOG_LEVEL="DEBUG",
        SOURCE_URL="https://shop.example/source",
    )
    assert settings.model_fields_set == set(Settings.model_fields)
    assert (settings.host, settings.port, settings.database) == ("::", 0, Path("/data/shop.db"))
    assert (settings.rate_limit, settings.upload_rate_limit) == (Rate(5, 1), None)
    assert (settings.upload_timeout, settings.cache_bytes) == (0.5, 0)
    assert (settings.max_connections, settings.max_requests) == (8, 9)
    assert settings.max_arriving_bytes == 1024
    assert (settings.max_concurrent_exports, settings.max_export_bytes) == (2, 2048)
    assert (settings.head_timeout, settings.idle_timeout, settings.stop_timeout) == (1.5, 2.5, 3.5)
    assert (str(settings.time_zone), settings.digital_link_domain) == ("Asia/Kolkata", "id.shop.example:8443")
    assert (settings.currency, settings.locale) == ("EUR", "de_AT")
    assert settings.temporary_folder == Path("/data/temporary")
    assert (settings.access_log, settings.log_level) == (True, "DEBUG")
    assert (settings.idempotency_days, settings.render_threads) == (7, 4)


def test_only_what_is_handed_in_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither reading nor building settings uses the process environment."""
    monkeypatch.setenv("BARCODESVC_PORT", "1")
    monkeypatch.setenv("BARCODESVC_HOTS", "x")
    assert load_settings({}).port == 8080
    assert load_settings({"BARCODESVC_PORT": "2"}).port == 2
    assert Settings().port == 8080


def test_other_variables_are_no_one_s_business() -> None:
    """Only the prefix is checked; names are case-insensitive."""
    assert load_settings({"PATH": "/bin", "PORT": "1", "XBARCODESVC_PORT": "2"}).port == 8080
    assert load_settings({"barcodesvc_port": "81"}).port == 81


@sweep(
    ("name", "value", "problem"),
    [
        ("HOST", "", "at least 1 character"),
        ("PORT", "http", "valid integer"),
        ("PORT", "", "valid integer"),
        ("PORT", "65536", "less than or equal to 65535"),
        ("PORT", "-1", "greater than or equal to 0"),
        ("RATE_LIMIT", "many", "'many' is neither 'off' nor a rate such as '100/15 minutes'"),
        ("RATE_LIMIT", "", "'' is neither 'off' nor a rate"),
        ("RATE_LIMIT", "0/minute", "'0/minute' is neither"),
        ("RATE_LIMIT", "5/0 minutes", "neither"),
        ("RATE_LIMIT", "100/15 minutes; 5/second", "neither"),
        ("RATE_LIMIT", "100/15 minutes, 5/second", "neither"),
        ("RATE_LIMIT", "100/15 minutes a", "neither"),
        ("RATE_LIMIT", "1/fortnight", "neither"),
        ("RATE_LIMIT", "-5/minute", "neither"),
        ("UPLOAD_RATE_LIMIT", "10000000000000000/second", "neither"),
        ("RATE_LIMIT_STORE", "", "is not an address such as valkey://user@host/name"),
        ("RATE_LIMIT_STORE", "limits.example:6379", "is not an address such as valkey://user@host/name"),
        ("RATE_LIMIT_STORE", "postgresql://limits.example/0", "is not an address such as valkey://"),
        ("RATE_LIMIT_STORE", "valkey://limits.example:port/0", "is not an address such as valkey://"),
        ("RATE_LIMIT_EXEMPT", "10.0.0.1/8", "10.0.0.1/8 has host bits set"),
        ("RATE_LIMIT_EXEMPT", "kiosk", "'kiosk' does not appear to be an IPv4 or IPv6 network"),
        ("TRUSTED_PROXIES", "10.0.0.0/8 10.1.0.0/16", "does not appear to be"),
        ("CORS_ORIGINS", "shop.example", "'shop.example' is neither '*' nor an origin such as"),
        ("CORS_ORIGINS", "https://shop.example/", "neither"),
        ("CORS_ORIGINS", "https://shop.example/path", "neither"),
        ("CORS_ORIGINS", "https://ann@shop.example", "neither"),
        ("CORS_ORIGINS", "https://a b", "neither"),
        ("CORS_ORIGINS", "https://", "neither"),
        ("CORS_ORIGINS", "ftp://shop.example", "neither"),
        ("CORS_ORIGINS", "https://*.shop.example", "neither"),
        ("CORS_ORIGINS", "https://shop.example:port", "neither"),
        ("HOST", "a" * 64, "is not an address or name of a host; each part of a name has 1 to 63 characters"),
        ("HOST", "till..example", "'till..example' is not an address or name of a host"),
        (
            "ALLOWED_HOSTS",
            "https://shop.example",
            "'https://shop.example' is not a name of a host such as 'shop.example'",
        ),
        ("ALLOWED_HOSTS", "shop.example:8080", "without scheme and port"),
        ("ALLOWED_HOSTS", "*", "is not a name of a host"),
        ("API_KEY", "k" * 23, "a key is 24 to 256 visible ASCII characters"),
        ("API_KEY", "k" * 257, "a key is 24 to 256 visible"),
        ("API_KEY", "k" * 24 + "," + "k" * 23, "a key is 24 to 256 visible"),
        ("API_KEY", "a key of several words that are secret", "a key is 24 to 256 visible"),
        ("API_KEY", "schl\u00fcssel" * 4, "a key is 24 to 256 visible"),
        ("MAX_UPLOAD_BYTES", "10MB", "valid integer"),
        ("MAX_UPLOAD_BYTES", "0", "greater than or equal to 1024"),
        ("MAX_JSON_BYTES", "1023", "greater than or equal to 1024"),
        ("MAX_CONCURRENT_UPLOADS", "0", "greater than or equal to 1"),
        ("MAX_CONCURRENT_UPLOADS", "65", "less than or equal to 64"),
        ("UPLOAD_TIMEOUT", "0", "greater than 0"),
        ("UPLOAD_TIMEOUT", "nan", "equal to 3600"),
        ("RENDER_THREADS", "0", "greater than or equal to 1"),
        ("CACHE_BYTES", "-1", "greater than or equal to 0"),
        ("LABEL_FONT", "/nowhere/font.ttf", "there is no file '/nowhere/font.ttf'; name a .ttf, .otf or .ttc file"),
        ("TIME_ZONE", "Europe/Atlantis", "'Europe/Atlantis' is not a time zone that this system knows"),
        ("TIME_ZONE", "../etc/passwd", "is not a time zone"),
        ("TIME_ZONE", "", "is not a time zone"),
        ("DIGITAL_LINK_DOMAIN", "https://id.shop.example/x", "is not a domain such as 'id.shop.example'"),
        ("DIGITAL_LINK_DOMAIN", "localhost", "is not a domain"),
        ("CURRENCY", "EURO", "'EURO' is not a currency such as 'EUR'"),
        ("LOCALE", "xx_YY", "'xx_YY' is not a locale such as 'de_DE'"),
        ("LOCALE", "", "is not a locale"),
        ("LABEL_FONT", "/", "there is no file '/'"),
        ("TLS_CERT", "/nowhere/shop.pem", "there is no file '/nowhere/shop.pem'; name a file in PEM"),
        ("TLS_KEY", "", "there is no file ''; name a file in PEM"),
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


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("HOTS", "HOST"),
        ("RATE_LIMITS", "RATE_LIMIT"),
        ("TRUSTED_PROXY", "TRUSTED_PROXIES"),
        ("rate_limt", "RATE_LIMIT"),
    ],
)
def test_the_refusal_of_a_mistyped_variable_names_the_nearest_one(name: str, nearest: str) -> None:
    """An unknown setting is not silently ignored."""
    told = f"BARCODESVC_{name.upper()}: no such setting; did you mean BARCODESVC_{nearest}?"
    assert refusal(**{name: "1"}) == told


def test_the_refusal_of_a_variable_like_no_other_names_none() -> None:
    """The message suggests nothing if no name is similar."""
    assert refusal(QQQQQQQQQQQQQQQQ="1") == "BARCODESVC_QQQQQQQQQQQQQQQQ: no such setting"


def test_all_problems_are_reported_together() -> None:
    """One start reports every wrong variable, and every wrong entry of a list."""
    message = refusal(PORT="x", HOTS="y", TRUSTED_PROXIES="10.0.0.1/8,nope", LOG_LEVEL="z", RATE_LIMIT="?")
    names = [line.partition(":")[0].removeprefix("BARCODESVC_") for line in message.splitlines()]
    assert sorted(names) == ["HOTS", "LOG_LEVEL", "PORT", "RATE_LIMIT", "TRUSTED_PROXIES", "TRUSTED_PROXIES"]


@pytest.mark.parametrize("alone", ["TLS_CERT", "TLS_KEY"])
def test_a_certificate_and_its_key_are_set_together(alone: str) -> None:
    """One of them alone would serve plain text that was meant to be secret, or nothing."""
    told = "BARCODESVC_TLS_KEY: HTTPS needs both BARCODESVC_TLS_CERT and BARCODESVC_TLS_KEY; set both, or neither"
    assert refusal(**{alone: __file__}) == told


@pytest.mark.parametrize("value", ["off", "OFF", " Off "])
def test_a_rate_can_be_switched_off(value: str) -> None:
    """`off` disables it, in any case."""
    assert loaded(RATE_LIMIT=value).rate_limit is None


@pytest.mark.parametrize(
    ("period", "seconds"), [("second", 1), ("2 days", 172_800), ("month", 2_592_000), ("year", 31_104_000)]
)
def test_a_rate_has_a_period(period: str, seconds: int) -> None:
    """A month has 30 days, and a year twelve months."""
    assert loaded(RATE_LIMIT=f"100/{period}").rate_limit == Rate(100, seconds)


@pytest.mark.parametrize("value", ["100/15 minutes", "100 per 15 minutes", " 100/15minutes ", "100/15 Minute"])
def test_a_rate_has_more_than_one_spelling(value: str) -> None:
    """With a slash or `per`, singular or plural."""
    assert loaded(RATE_LIMIT=value).rate_limit == Rate(100, 900)


def test_lists_are_separated_by_commas() -> None:
    """Spaces and empty entries are ignored; an address is its own network."""
    settings = loaded(
        RATE_LIMIT_EXEMPT=" 10.0.0.0/8 ,,2001:db8::/32, 192.0.2.7,",
        CORS_ORIGINS="https://Shop.Example:8443, http://[::1]:3000,http://localhost",
    )
    assert settings.rate_limit_exempt == tuple(map(ip_network, ("10.0.0.0/8", "2001:db8::/32", "192.0.2.7")))
    assert settings.cors_origins == ("https://shop.example:8443", "http://[::1]:3000", "http://localhost")
    assert loaded(CORS_ORIGINS="").cors_origins == ()
    assert loaded(ALLOWED_HOSTS="Shop.Example, , till-2").allowed_hosts == ("shop.example", "till-2")


def test_networks_of_mapped_addresses_are_ipv4() -> None:
    """Mapped addresses are compared as IPv4, and so are networks, down to a single address."""
    text = "::ffff:10.0.0.0/104, ::ffff:192.0.2.7, ::ffff:0.0.0.0/96, ::/0, 64:ff9b::/96"
    expected = ("10.0.0.0/8", "192.0.2.7/32", "0.0.0.0/0", "::/0", "64:ff9b::/96")
    assert tuple(map(str, loaded(TRUSTED_PROXIES=text).trusted_proxies)) == expected


def test_settings_do_not_change() -> None:
    """What was validated at the start is valid until the end, and can be shared."""
    settings = loaded(TRUSTED_PROXIES="10.0.0.0/8", CORS_ORIGINS="*", RATE_LIMIT="5/second")
    with pytest.raises(ValueError, match="frozen"):
        settings.port = 1
    assert Settings(**settings.model_dump()) == settings


def test_every_setting_is_described() -> None:
    """The table in docs/settings.md is generated from these texts."""
    assert all(field.description for field in Settings.model_fields.values())


def test_keys_are_never_shown() -> None:
    """Neither the settings nor the error for a bad one shows a key, and settings can still be passed on."""
    settings = loaded(API_KEY="first-key-of-the-kiosks-1, second-key-of-the-kiosks")
    assert [key.get_secret_value() for key in settings.api_key] == [
        "first-key-of-the-kiosks-1",
        "second-key-of-the-kiosks",
    ]
    for text in (repr(settings), str(settings), repr(settings.model_dump())):
        assert "of-the-kiosks" not in text
    assert Settings(**settings.model_dump()) == settings
    assert "short-one" not in refusal(API_KEY="first-key-of-the-kiosks-1,short-one", PORT="x")


def test_a_shared_port_needs_a_server_and_a_system_that_shares() -> None:
    """The message says why: several processes with a file would not be one service."""
    assert loaded(REUSE_PORT="true", DATABASE="postgresql://db/shop").reuse_port
    message = refusal(REUSE_PORT="true")
    assert message.startswith("BARCODESVC_REUSE_PORT: an SQLite file belongs to one process")


def test_a_system_without_shared_ports_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the second process would fail for no visible reason."""
    monkeypatch.delattr(socket, "SO_REUSEPORT")
    message = refusal(REUSE_PORT="true", DATABASE="postgresql://db/shop")
    assert message.startswith("BARCODESVC_REUSE_PORT: on this system two processes cannot listen on one port")


def test_passwords_of_servers_are_never_shown() -> None:
    """Neither the settings nor the error for a bad address shows one, and settings can still be passed on."""
    settings = loaded(DATABASE="postgresql://shop:opensesame@db/shop", RATE_LIMIT_STORE="valkey://:opensesame@db/0")
    for text in (repr(settings), str(settings), repr(settings.model_dump()), str(settings.database)):
        assert "opensesame" not in text
    assert Settings(**settings.model_dump()) == settings
    assert "opensesame" not in refusal(
        DATABASE="postgresql://:opensesame@db:x/", RATE_LIMIT_STORE="http://:opensesame@db"
    )


@pytest.mark.parametrize("value", ["", " ", "\t\n", ",", " , ", ",,,"])
def test_a_key_that_is_set_to_nothing_stops_the_start(value: str) -> None:
    """An empty variable, for example from a missing secret, must not open the API."""
    assert refusal(API_KEY=value).startswith("BARCODESVC_API_KEY: set, but without a key; unset it to leave /api open")


def test_without_the_setting_no_one_is_asked_for_a_key() -> None:
    """Only leaving the variable out opens /api."""
    assert loaded().api_key == ()
