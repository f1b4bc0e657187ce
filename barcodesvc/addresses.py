"""Addresses of servers in settings: `postgresql://user:password@host:port/database?option=value`.

Rule: a message names the setting and never shows a password or an option. An address that cannot be parsed, or that
could be parsed in two ways, is refused without being repeated, because any part of it may be the password.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

POSTGRESQL = ("postgresql", "postgres")
"""The schemes of PostgreSQL's own programs."""
VALKEY = ("valkey", "valkeys", "valkey+unix", "redis", "rediss", "redis+unix")
"""The schemes of Valkey, which Redis serves as well: plain, by TLS, and by a Unix socket."""

_NOT_A_PATH = re.compile(r"[a-z][a-z0-9+.-]+:|.*(://|password\s*=)", re.IGNORECASE | re.DOTALL)
"""An address with another scheme or a mistyped one, and PostgreSQL's `host=... password=...`."""


class ServerAddress:
    """The address of a server: `url` is complete, `str()` has neither password nor options.

    It is not a dataclass, because `model_dump` of the settings would expand one and show the password.
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

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        user, at, host = parts.netloc.rpartition("@")
        return f"{parts.scheme}://{user.partition(':')[0]}{at}{host}{parts.path}"

    @classmethod
    def parsed(cls, url: str, schemes: tuple[str, ...]) -> ServerAddress:
        """Return the address; raises ValueError, which repeats nothing of it, if it cannot be parsed in just one way.

        A password with an unescaped `/`, `?`, `#` or `@` would end there, and its rest would be shown.
        """
        try:
            parts = urlsplit(url)
            is_valid, _ = parts.scheme in schemes, parts.port
        except ValueError:
            is_valid = False
        if not is_valid or "#" in url or parts.netloc.count("@") > 1 or "@" in parts.path + parts.query:
            raise ValueError(
                f"is not an address such as {schemes[0]}://user@host/name; "
                "write : / ? # @ inside a part of it as %3A %2F %3F %23 %40"
            )
        return cls(url)


def database_place(value: str) -> Path | ServerAddress:
    """Return the address of a PostgreSQL server, or else the path of a file.

    Raises ValueError, which repeats nothing of the value, for an address that is invalid or of another kind of server.
    """
    if value.strip().lower().partition("://")[0] in POSTGRESQL:
        return ServerAddress.parsed(value.strip(), POSTGRESQL)
    if _NOT_A_PATH.match(value.strip()):
        raise ValueError(
            f"is neither a path, which may begin with ./, nor an address such as {POSTGRESQL[0]}://user@host/name"
        )
    return Path(value)
