"""Addresses of servers, as settings name them: `postgresql://user:password@host:port/database?option=value`.

Rule: a password that stands in one is shown nowhere, neither in a message nor in the log.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

POSTGRESQL = ("postgresql", "postgres")
"""The schemes of PostgreSQL's own programs."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address of a server: `url` with everything that stands in it, `str()` without the password."""

    url: str = field(repr=False)

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
        options = "&".join(option for option in parts.query.split("&") if not option.startswith("password="))
        return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{is_given}{host}", query=options))


def has_scheme(value: str, schemes: tuple[str, ...]) -> bool:
    """Return whether a setting is meant as an address with one of these schemes, right or wrong."""
    return value.strip().lower().partition("://")[0] in schemes and "://" in value
