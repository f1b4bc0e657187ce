"""Addresses of servers, as settings name them: `postgresql://user:password@host:port/database?option=value`.

Rule: a password that stands in one is shown nowhere, neither in a message nor in the log. So what is meant as an
address and cannot be read as one is refused, and repeated nowhere: a password may stand in any part of it.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

POSTGRESQL = ("postgresql", "postgres")
"""The schemes of PostgreSQL's own programs."""
VALKEY = ("valkey", "valkeys", "valkey+unix", "redis", "rediss", "redis+unix")
"""The schemes of Valkey, which Redis serves as well: plain, by TLS, and by a socket of the file system."""

_SHOWN = frozenset(
    {
        *("application_name", "channel_binding", "client_encoding", "connect_timeout", "database", "db", "dbname"),
        *("gssencmode", "gsslib", "host", "hostaddr", "keepalives", "keepalives_count", "keepalives_idle"),
        *("keepalives_interval", "krbsrvname", "load_balance_hosts", "options", "passfile", "port", "require_auth"),
        *("requirepeer", "service", "ssl_max_protocol_version", "ssl_min_protocol_version", "sslcert", "sslcrl"),
        *("sslkey", "sslmode", "sslnegotiation", "sslrootcert", "sslsni", "target_session_attrs", "tcp_user_timeout"),
        "user",
    }
)
"""Options that are shown: those of PostgreSQL's programs that hold no secret. What any other holds nobody knows."""
_SCHEME = r"[a-z][a-z0-9+.-]+:/"
_NAMED = r"(passw(or)?d|pwd)\s*="
_MEANT_AS_ADDRESS = re.compile(
    rf"{_SCHEME}|:/"  # that of another program, or one that is mistyped
    r"|(//)?[^/]*:.*@"  # user:password@host without a scheme, or with something in front of it
    rf"|\W*(host|hostaddr|port|dbname|user|username|service)\s*=|.*{_NAMED}",  # PostgreSQL's other way to write one
    re.IGNORECASE | re.DOTALL,
)
_WITH_PASSWORD = re.compile(rf"(?:\W*{_SCHEME}+)?+.*(:.*@|{_NAMED})", re.IGNORECASE | re.DOTALL)


class ServerAddress:
    """The address of a server: `url` with everything that stands in it, `str()` without what may be secret.

    No dataclass: settings are handed on by their `model_dump`, which would take one apart, and show the password.
    """

    __slots__ = ("url",)

    def __init__(self, url: str) -> None:
        self.url = url

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ServerAddress) and self.url == other.url

    def __hash__(self) -> int:
        return hash(self.url)

    def __repr__(self) -> str:
        return f"ServerAddress({str(self)!r})"

    @classmethod
    def parsed(cls, url: str, schemes: tuple[str, ...]) -> ServerAddress:
        """Return the address; raises ValueError, which repeats nothing of it, for one that cannot be read.

        One that can be read in two ways is none: its password would end at the first `/`, `?`, `#` or `@` in it.
        """
        try:
            parts = urlsplit(url)
            is_known, _ = parts.scheme in schemes, parts.port
        except ValueError:
            is_known = False
        if not is_known or "#" in url or url.count("@") > parts.netloc.count("@") or parts.netloc.count("@") > 1:
            raise ValueError(
                f"is no address such as {schemes[0]}://user@host/name; "
                "characters as : / ? # @ in a part of it stand as %3A %2F %3F %23 %40"
            )
        return cls(url)

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        user, is_given, host = parts.netloc.rpartition("@")
        options = re.split("[&;]", parts.query)
        shown = "&".join(option for option in options if unquote(option.partition("=")[0]) in _SHOWN)
        # put together by hand: for an empty host `urlunsplit` leaves out what stands before it
        return f"{parts.scheme}://{user.partition(':')[0]}{is_given}{host}{parts.path}{shown and f'?{shown}'}"


def is_meant_as_address(value: str) -> bool:
    """Return whether a text is meant as the address of a server, of whatever kind, right or wrong."""
    return bool(_MEANT_AS_ADDRESS.match(value.strip()))


def may_hold_password(value: str) -> bool:
    """Return whether a text looks as if the password of a server stood in it."""
    return bool(_WITH_PASSWORD.match(value))


def database_place(value: str) -> Path | ServerAddress:
    """Return where a database is: the address of a server, or else the path of a file.

    Raises ValueError, which repeats nothing of it, for an address that cannot be read, or is not PostgreSQL's.
    """
    if value.strip().lower().partition("://")[0] in POSTGRESQL:
        return ServerAddress.parsed(value.strip(), POSTGRESQL)
    return file_place(value)


def file_place(value: str) -> Path:
    """Return the path of a file; raises ValueError, which repeats nothing of it, for what may be an address."""
    if is_meant_as_address(value):
        raise ValueError(
            f"is neither a path, which may begin with ./, nor an address such as {POSTGRESQL[0]}://user@host/name"
        )
    return Path(value)
