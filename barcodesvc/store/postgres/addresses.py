"""Addresses of servers: as asyncpg reads them, and messages about one that cannot be used.

asyncpg sends each option that it does not know to the server, which refuses it. So those that only PostgreSQL's own
programs know are left out: an address from a hosted database would fail without that, for example one with
`connect_timeout`. What is left out changes no result and weakens nothing: `channel_binding=require` stays, and is
refused. Source: PostgreSQL's manual, chapter 34.1.2 (parameter key words of libpq).

Rule: a message never shows the password.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from barcodesvc.addresses import ServerAddress
from barcodesvc.store.limits import cause_of
from barcodesvc.store.postgres.failures import ERRORS

_LEFT_OUT = frozenset(
    {
        *("connect_timeout", "fallback_application_name", "load_balance_hosts", "sslcompression", "sslsni"),
        *("keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "tcp_user_timeout"),
        *("channel_binding=disable", "channel_binding=prefer", "gssencmode=disable", "gssencmode=prefer"),
    }
)


@contextmanager
def usable(address: ServerAddress, setting: str, refusal: type[Exception]) -> Iterator[str]:
    """Yield the address as asyncpg reads it to a block that connects; raises a refusal if it cannot be used.

    Its message begins with the setting that holds the address, and says why.
    """
    base, mark, options = address.url.partition("?")
    kept = [option for option in options.split("&") if not {option, option.partition("=")[0]} & _LEFT_OUT]
    problem = f"{setting}{address} cannot be used"
    try:
        yield f"{base}{mark if kept else ''}{'&'.join(kept)}"
    except ERRORS as error:
        is_option = isinstance(error, (asyncpg.UndefinedObjectError, asyncpg.InvalidParameterValueError))
        where = "; it is an option of the address" if is_option else ""
        raise refusal(f"{problem}: {cause_of(error)}{where}") from error
    except ValueError:  # its message repeats a part of the address
        raise refusal(f"{problem}; look at its port and its options") from None
