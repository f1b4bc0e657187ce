"""The settings: environment variables, read and checked once at start.

Rule: a bad value, or an unknown BARCODESVC_ variable, stops the start with a message that names the variable. It never
shows the value of a setting that may hold a secret: an address of a server, or an API key. The rest of the package gets
a finished Settings object and never reads the environment.
"""

import difflib
import re
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from importlib.metadata import version
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import ErrorDetails

from barcodesvc.addresses import VALKEY, ServerAddress, database_place
from barcodesvc.amounts import known_currency, known_locale
from barcodesvc.errors import StartError
from barcodesvc.in_store_patterns import InStorePattern, in_store_patterns
from barcodesvc.made_codes import MadeCodes, made_codes
from barcodesvc.printer_addresses import require_printers

VERSION = version("barcodesvc")
"""The release that is installed."""
PREFIX = "BARCODESVC_"

Network = IPv4Network | IPv6Network

_RATE = re.compile(r"([1-9][0-9]{0,8})\s*(?:/|per)\s*([1-9][0-9]{0,5})?\s*(second|minute|hour|day|month|year)s?")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "month": 30 * 86_400, "year": 360 * 86_400}
_MAPPED_BITS = 96
"""Bits before the IPv4 address in an IPv4-mapped one."""
_API_KEY = re.compile(r"[!-~]{24,256}")
_HOST_NAME = re.compile(r"[a-z0-9_.-]+")
_ORIGIN = re.compile(r"\*|https?://([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
_DOMAIN = re.compile(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9](:[0-9]{1,5})?")
_SOURCE = re.compile(r"https?://[!-~]+")


def _parsed(parse: Callable[[str], object]) -> BeforeValidator:
    """Return a validator that parses a text; a value that is no text has been parsed before."""
    return BeforeValidator(lambda value: parse(value) if isinstance(value, str) else value)


def _unless_empty(parse: Callable[[str], object]) -> Callable[[str], object]:
    return lambda text: parse(text) if text.strip() else None


def _in_lower_case(pattern: re.Pattern[str], problem: str) -> Callable[[str], str]:
    """Return a function that returns a text in lower case; it raises ValueError for one that the pattern refuses."""

    def checked(text: str) -> str:
        lower = text.strip().lower()
        if not pattern.fullmatch(lower):
            raise ValueError(f"{text!r} is {problem}")
        return lower

    return checked


@dataclass(frozen=True, slots=True)
class Rate:
    """A number of requests, and the seconds of their window."""

    amount: int
    seconds: int


def _rate(text: str) -> Rate | None:
    rate = text.strip().lower()
    if rate == "off":
        return None
    found = _RATE.fullmatch(rate)
    if not found:
        raise ValueError(f"{text!r} is neither 'off' nor a rate such as '100/15 minutes'")
    amount, periods, period = found.groups("1")
    return Rate(int(amount), int(periods) * _SECONDS[period])


def _network(value: object) -> Network:
    """Return the network; one of IPv4-mapped IPv6 addresses is the IPv4 network, because such addresses are IPv4."""
    network = ip_network(value)  # type: ignore[arg-type]  # ip_network refuses other types
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    return IPv4Network((mapped, network.prefixlen - _MAPPED_BITS)) if mapped else network


def _listening_host(value: str) -> str:
    try:
        value.encode("idna")  # as every look-up of a name does
        is_host = not set(value) & set("/@")
    except UnicodeError:
        is_host = False
    if not is_host:
        raise ValueError(f"{value!r} is not an address or name of a host; each part of a name has 1 to 63 characters")
    return value


def _time_zone(name: str) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # the last two for what is a path
        message = "is not a time zone that this system knows, such as 'Europe/Berlin'; on Debian they are in tzdata"
        raise ValueError(f"{name!r} {message}") from None


def _source_address(text: str) -> str:
    if not _SOURCE.fullmatch(text):
        raise ValueError(f"{text!r} is not an address such as 'https://shop.example/barcodesvc.tar.gz'")
    return text


def _existing(kind: str) -> Callable[[str], Path]:
    """Return a function that returns the path of a file; it raises ValueError, which names the kind, without one."""

    def checked(text: str) -> Path:
        if not Path(text).is_file():
            raise ValueError(f"there is no file {text!r}; name a {kind}")
        return Path(text)

    return checked


def _api_key(value: object) -> SecretStr:
    """Return a key that fits in a header and cannot be guessed; no message repeats it."""
    key = value if isinstance(value, SecretStr) else SecretStr(str(value))
    if not _API_KEY.fullmatch(key.get_secret_value()):
        raise ValueError("a key is 24 to 256 visible ASCII characters; make one with: openssl rand -hex 24")
    return key


def _comma_separated(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _api_keys(text: str) -> list[str]:
    """Return the list of keys; raises ValueError for an empty one, which would leave /api open by mistake."""
    keys = _comma_separated(text)
    if not keys:
        raise ValueError("set, but without a key; unset it to leave /api open, or make one with: openssl rand -hex 24")
    return keys


_LIST = _parsed(_comma_separated)
_A_HOST = _in_lower_case(_HOST_NAME, "not a name of a host such as 'shop.example', without scheme and port")
_A_DOMAIN = _in_lower_case(_DOMAIN, "not a domain such as 'id.shop.example', without scheme and path")
_AN_ORIGIN = _in_lower_case(_ORIGIN, "neither '*' nor an origin such as 'https://shop.example:8443'")

DatabasePlace = Annotated[Path | ServerAddress, _parsed(database_place)]
StoreAddress = Annotated[ServerAddress | None, _parsed(lambda text: ServerAddress.parsed(text.strip(), VALKEY))]
RateLimit = Annotated[Rate | None, _parsed(_rate)]
PemFile = Annotated[Path | None, _parsed(_existing("file in PEM"))]
FontFile = Annotated[Path | None, _parsed(_unless_empty(_existing(".ttf, .otf or .ttc file")))]
Currency = Annotated[str | None, _parsed(_unless_empty(known_currency))]
Locale = Annotated[str, AfterValidator(known_locale)]
TimeZone = Annotated[tzinfo, _parsed(_time_zone)]
Domain = Annotated[str | None, _parsed(_unless_empty(_A_DOMAIN))]
SourceAddress = Annotated[str | None, _parsed(_unless_empty(_source_address))]
Networks = Annotated[tuple[Annotated[Network, BeforeValidator(_network)], ...], _LIST]
ApiKeys = Annotated[tuple[Annotated[SecretStr, BeforeValidator(_api_key)], ...], _parsed(_api_keys)]
HostNames = Annotated[tuple[Annotated[str, AfterValidator(_A_HOST)], ...], _LIST]
Origins = Annotated[tuple[Annotated[str, AfterValidator(_AN_ORIGIN)], ...], _LIST]
PrinterTexts = Annotated[tuple[str, ...], AfterValidator(require_printers), _LIST]
"""Texts: `model_dump` would expand what they are parsed to."""
Seconds = Annotated[float, Field(gt=0, le=3600)]
Number = Annotated[int, Field(ge=1)]
MOST_DAYS = 3650
Days = Annotated[int, Field(ge=1, le=MOST_DAYS)]
Bytes = Annotated[int, Field(ge=1024)]


MadeCodesPattern = Annotated[MadeCodes, _parsed(made_codes)]
InStoreCodes = Annotated[tuple[InStorePattern, ...], _parsed(in_store_patterns)]


class Settings(BaseModel):
    """All settings; each field is the variable BARCODESVC_<NAME IN UPPER CASE>.

    It only uses its arguments and the defaults; `load_settings` passes it the environment.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, validate_default=True)

    host: Annotated[str, AfterValidator(_listening_host)] = Field(
        default="127.0.0.1", min_length=1, description="address to listen on"
    )
    port: int = Field(default=8080, ge=0, le=65535, description="port to listen on; 0 chooses a free one")
    tls_cert: PemFile = Field(default=None, description="certificate for HTTPS, followed by the intermediate ones; PEM")
    tls_key: PemFile = Field(default=None, description="private key of that certificate; PEM, without a password")
    database: DatabasePlace = Field(
        default=Path("barcodesvc.db"),
        description="the SQLite file, created if missing, or the address of a PostgreSQL database",
    )
    reuse_port: bool = Field(default=False, description="let several processes listen on one port; needs PostgreSQL")
    temporary_folder: Path | None = Field(
        default=None, description="folder for temporary files, instead of the system's"
    )
    busy_timeout: Seconds = Field(
        default=15.0,
        description="seconds that a change waits for another process to unlock the database",
    )
    slow_query: float = Field(
        default=1.0, ge=0, description="seconds above which a query is logged with its name; 0 logs none"
    )
    idempotency_days: Days = Field(default=30, description="days that an idempotency key is kept")
    rate_limit: RateLimit = Field(default=Rate(100, 900), description="requests per client address, or `off`")
    upload_rate_limit: RateLimit = Field(default=Rate(10, 900), description="imports per client address, or `off`")
    page_rate_limit: RateLimit = Field(
        default=Rate(6000, 900),
        description="requests per client address with a session of the web app, or `off`; "
        "`off` where `BARCODESVC_RATE_LIMIT` is",
    )
    rate_limit_store: StoreAddress = Field(
        default=None,
        description="address of a Valkey or Redis in which replicas count together, such as `valkey://host:6379/0`",
    )
    rate_limit_exempt: Networks = Field(default=(), description="networks without rate limits, comma-separated")
    trusted_proxies: Networks = Field(
        default=(), description="networks whose `X-Forwarded-For`, `-Host` and `-Proto` are trusted"
    )
    api_key: ApiKeys = Field(
        default=(), description="key that all of `/api` requires; several, comma-separated, to replace one"
    )
    cors_origins: Origins = Field(default=(), description="origins that browsers may call from, or `*`")
    allowed_hosts: HostNames = Field(
        default=(),
        description="further host names under which the service answers, comma-separated",
    )
    max_upload_bytes: Bytes = Field(default=10 * 1024 * 1024, description="largest upload")
    max_json_bytes: Bytes = Field(
        default=4 * 1024 * 1024,
        description="largest JSON body; routes have lower limits, and an image that announces its length a higher one",
    )
    max_concurrent_uploads: int = Field(default=3, ge=1, le=64, description="imports at the same time")
    upload_timeout: Seconds = Field(default=60.0, description="seconds that an upload may take to arrive")
    max_concurrent_exports: int = Field(
        default=16, ge=1, le=1000, description="exports and full lists being written or downloaded at the same time"
    )
    max_export_bytes: Bytes = Field(
        default=1024 * 1024 * 1024, description="total size of the files of exports and full lists"
    )
    max_connections: Number = Field(default=12_000, description="open connections before a 503")
    max_requests: Number = Field(default=2000, description="requests in flight before a 503")
    max_arriving_bytes: Bytes = Field(
        default=64 * 1024 * 1024,
        description="total size of large JSON bodies being received or read; uploads have as much again",
    )
    head_timeout: Seconds = Field(default=10.0, description="seconds that the headers of a request may take")
    idle_timeout: float = Field(default=75.0, gt=0, le=86400, description="seconds after which an idle connection ends")
    stop_timeout: Seconds = Field(
        default=30.0,
        description="seconds for requests in flight at shutdown; after twice as long the process exits",
    )
    image_threads: int = Field(
        default=2, ge=1, le=64, description="images that take long read at a time; twice as many in all"
    )
    printers: PrinterTexts = Field(
        default=(),
        description="printers by name and address, comma-separated; in a shell, in quotes; see [Printers](printers.md)",
    )
    print_jobs: int = Field(
        default=1000, ge=1, le=10_000, description="print jobs of all printers waiting before a 503"
    )
    print_job_days: Days = Field(default=14, description="days that a print job is kept once it is over")
    print_try_hours: float = Field(
        default=24.0, gt=0, le=8760, description="hours in which a printer is tried before a job fails"
    )
    render_threads: int = Field(default=1, ge=1, le=64, description="threads that render codes; more are no faster")
    cache_bytes: int = Field(default=64 * 1024 * 1024, ge=0, description="maximum size of the cache of rendered codes")
    time_zone: TimeZone = Field(
        default=UTC,
        description="time zone of dates: on labels, in names of files, and in filters, such as `Europe/Berlin`",
    )
    currency: Currency = Field(
        default=None, description="currency of `{attributes.price:money}` on labels, such as `EUR`"
    )
    locale: Locale = Field(default="en", description="how amounts are written on labels, such as `de_DE`")
    in_store_codes: InStoreCodes = Field(
        default=(),
        description="patterns of the shop's codes with a price, a weight or a count inside, comma-separated; "
        "see [Scans](scans.md#codes-with-a-price-a-weight-or-a-count)",
    )
    made_codes: MadeCodesPattern = Field(
        default=made_codes("P{n:05}"),
        description="codes that the service makes: a text with `{n}`, or `ean13:20` for EAN-13s that begin with 20",
    )
    digital_link_domain: Domain = Field(
        default=None, description="domain of the GS1 Digital Links that labels hold, such as `id.shop.example`"
    )
    label_font: FontFile = Field(
        default=None,
        description="font file (.ttf, .otf or .ttc) for the texts on labels, which letters such as Chinese need",
    )
    access_log: bool = Field(default=False, description="one line of JSON per request on standard output")
    metrics: bool = Field(default=True, description="count requests, and show the metrics at `/metrics`")
    source_url: SourceAddress = Field(
        default=None, description="address of the source code, if you changed it (AGPL-3.0)"
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="INFO", description="lowest level logged")

    @field_validator("reuse_port")
    @classmethod
    def _several_processes(cls, reuse_port: bool, info: ValidationInfo) -> bool:  # noqa: FBT001 - as pydantic calls it
        """Return it; raises ValueError if several processes would not be one service, or cannot share a port."""
        if reuse_port and isinstance(info.data.get("database"), Path):
            raise ValueError(
                "an SQLite file belongs to one process, and another one would print each label again; "
                "name a PostgreSQL server in BARCODESVC_DATABASE, or unset this"
            )
        if reuse_port and not hasattr(socket, "SO_REUSEPORT"):
            raise ValueError("on this system two processes cannot listen on one port (SO_REUSEPORT); unset this")
        return reuse_port

    @field_validator("tls_key")
    @classmethod
    def _both_or_neither(cls, key: Path | None, info: ValidationInfo) -> Path | None:
        """Return the key; raises ValueError for a key without a certificate, or a certificate without a key."""
        if "tls_cert" in info.data and (key is None) != (info.data["tls_cert"] is None):
            raise ValueError("HTTPS needs both BARCODESVC_TLS_CERT and BARCODESVC_TLS_KEY; set both, or neither")
        return key

    @field_validator("made_codes")
    @classmethod
    def _no_in_store_code(cls, made: MadeCodes, info: ValidationInfo) -> MadeCodes:
        """Return them; raises ValueError if a scale prints one of them for another product."""
        if made.is_ean13 and any(pattern.may_begin(made.before) for pattern in info.data.get("in_store_codes", ())):
            raise ValueError(
                f"{made} makes numbers that fit a pattern of BARCODESVC_IN_STORE_CODES; choose other digits"
            )
        return made


def load_settings(environ: Mapping[str, str]) -> Settings:
    """Read the settings from the environment that is passed in; the case of names does not count.

    Raises StartError naming every variable that is wrong or unknown.
    """
    variables = {name.upper(): value for name, value in environ.items()}
    given = {name.removeprefix(PREFIX).lower(): text for name, text in variables.items() if name.startswith(PREFIX)}
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        raise StartError("\n".join(map(_message, error.errors()))) from None


def _message(problem: ErrorDetails) -> str:
    variable = PREFIX + str(problem["loc"][0]).upper()
    if problem["type"] != "extra_forbidden":
        return f"{variable}: {problem['msg'].removeprefix('Value error, ')}"
    known = [PREFIX + name.upper() for name in Settings.model_fields]
    nearest = difflib.get_close_matches(variable, known, n=1)
    return f"{variable}: no such setting" + (f"; did you mean {nearest[0]}?" if nearest else "")
