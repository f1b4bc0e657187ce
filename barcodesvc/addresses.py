"""Addresses of servers, as settings name them: `postgresql://user:password@host:port/database?option=value`.

Rule: a password that stands in one is shown nowhere, neither in a message nor in the log.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

POSTGRESQL = ("postgresql", "postgres")
"""The schemes of PostgreSQL's own programs."""
_SECRETS = frozenset({"password", "sslpassword"})
"""Options that hold a password."""
VALKEY = ("valkey", "valkeys", "valkey+unix", "redis", "rediss", "redis+unix")
"""The schemes of Valkey, which Redis serves as well: plain, by TLS, and by a socket of the file system."""


class ServerAddress:
    """The address of a server: `url` with everything that stands in it, `str()` without the password.

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
        """Return the address; raises ValueError, which repeats nothing of it, for one that cannot be read."""
        try:
            parts = urlsplit(url)
            is_known, _ = parts.scheme in schemes, parts.port
        except ValueError:
            is_known = False
        if not is_known:
            raise ValueError(
                f"is no address such as {schemes[0]}://user@host/name; characters as : / @ stand as %3A %2F %40"
            )
        return cls(url)

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        user, is_given, host = parts.netloc.rpartition("@")
        shown = (option for option in parts.query.split("&") if unquote(option.partition("=")[0]) not in _SECRETS)
        return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{is_given}{host}", query="&".join(shown)))


def has_scheme(value: str, schemes: tuple[str, ...]) -> bool:
    """Return whether a setting is meant as an address with one of these schemes, right or wrong."""
    return value.strip().lower().partition("://")[0] in schemes and "://" in value


def database_place(value: str) -> Path | ServerAddress:
    """Return where a database is: the address of a server, or else the path of a file.

    Raises ValueError, which repeats nothing of it, for an address that cannot be read.
    """
    if has_scheme(value, POSTGRESQL):
        return ServerAddress.parsed(value.strip(), POSTGRESQL)
    return Path(value)
