"""Addresses of servers: as asyncpg reads them, and messages about one that cannot be used.

asyncpg sends each option that it does not know to the server, which refuses it. So those that only PostgreSQL's own
programs know are left out: an address from a hosted database would fail without that, for example one with
`connect_timeout`. What is left out changes no result and weakens nothing: `channel_binding=require` stays, and is
refused. Source: PostgreSQL's manual, chapter 34.1.2 (parameter key words of libpq).

Rule: a message never shows the password.
"""

from __future__ import annotations

import asyncpg

from barcodesvc.addresses import ServerAddress
from barcodesvc.store.limits import cause_of

_LEFT_OUT = frozenset(
    {
        *("connect_timeout", "fallback_application_name", "load_balance_hosts", "sslcompression", "sslsni"),
        *("keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "tcp_user_timeout"),
        *("channel_binding=disable", "channel_binding=prefer", "gssencmode=disable", "gssencmode=prefer"),
    }
)


def client_url(address: str) -> str:
    """Return the address as asyncpg reads it."""
    base, mark, options = address.partition("?")
    kept = [option for option in options.split("&") if not {option, option.partition("=")[0]} & _LEFT_OUT]
    return f"{base}{mark if kept else ''}{'&'.join(kept)}"


def unusable(address: str, error: BaseException) -> str:
    """Return a message that an address cannot be used, and why."""
    is_option = isinstance(error, (asyncpg.UndefinedObjectError, asyncpg.InvalidParameterValueError))
    where = "; it is an option of the address" if is_option else ""
    return f"{ServerAddress(address)} cannot be used: {cause_of(error)}{where}"


def unreadable(address: str) -> str:
    """Return a message that a part of an address is wrong, without asyncpg's error, which may repeat the password."""
    return f"{ServerAddress(address)} cannot be used; look at its port and its options"
