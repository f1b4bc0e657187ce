"""Options that PostgreSQL's own programs know in an address and asyncpg does not: it would ask the server to set them.

Without this an address that a hosted database hands out, such as one with `connect_timeout`, would be refused. What
is left out changes no answer and weakens nothing: `channel_binding=require` stays, and is refused.
Source: PostgreSQL's manual, chapter 34.1.2 (parameter key words of libpq).
"""

from __future__ import annotations

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
