"""Addresses of printers in settings: `zebra=zpl://10.1.0.20:9100?label=100x50mm&dpi=203`, separated by commas.

    zpl://host[:9100]            a label printer that reads ZPL from a TCP connection
    ipp://host[:631]/path        a printer that speaks IPP; `ipps://` with TLS
    file:///dev/usb/lp0          a label printer that reads ZPL from a device file

Rule: an address comes from the settings alone, so that no request makes the service connect anywhere else. A host must
be one that a printer can have; a message never repeats an address with a password.
"""

import re
import socket
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from types import MappingProxyType
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

PORTS = {"zpl": 9100, "ipp": 631, "ipps": 631}
"""The port of each scheme that has a host, unless the address names one."""
EXAMPLE = "zebra=zpl://10.1.0.20:9100?label=100x50mm&dpi=203"
MOST_PRINTERS = 100

_NAME = re.compile(r"[a-z0-9-]{1,32}")
_NEARLY_A_NAME = re.compile(r"[A-Za-z0-9_. -]{1,40}")
"""What a message may repeat: never a part of an address, which may contain a password."""
_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f:.]{2,45}")
_PATH = re.compile(r"/[!-~]*")
_BROADCAST = IPv4Address("255.255.255.255")
_MOST_OPTIONS = 40
_ROLL = r"[0-9.]{1,8}x[0-9.]{1,8}mm"
_FINGERPRINT = "([0-9A-Fa-f]{2}:?){32}"
_OPTIONS = {
    "label": ("", _ROLL, "the width and height of a roll's labels, such as label=100x50mm"),
    "status": ("zpl", "auto|off", "auto or off"),
    "fingerprint": ("ipps", _FINGERPRINT, "the SHA-256 of the printer's certificate, 64 hexadecimal digits"),
}
"""The options that are not fields of a layout: the only scheme that has one, its pattern, and the same in words."""


@dataclass(frozen=True, slots=True)
class PrinterAddress:
    """A printer of the settings.

    `layout` are the options that are fields of a layout, as they are written, with the roll's size as `sheet`;
    `asks_status` is whether a ZPL printer is asked for its state; `fingerprint` is the SHA-256 of a certificate.
    """

    name: str
    scheme: str
    host: str = ""
    port: int = 0
    path: str = ""
    layout: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    asks_status: bool = True
    fingerprint: bytes | None = None

    @property
    def kind(self) -> str:
        """How the service talks to the printer: `zpl`, `ipp` or `file`."""
        return "ipp" if self.scheme == "ipps" else self.scheme

    def __str__(self) -> str:
        """Return the address without its options."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{f':{self.port}' if self.port else ''}{self.path}"


def printer_of(text: str) -> PrinterAddress:
    """Return the printer that an entry of the setting names; raises ValueError that says what is wrong in it."""
    name, _, url = text.partition("=")
    if not _is_named(text):
        shown = f"{name!r}: " if "://" in url and _NEARLY_A_NAME.fullmatch(name) else ""
        hint = "; a number has a point, because a comma begins the next printer" if text[:1].isdigit() else ""
        problem = f"a name has 1-32 of a-z, 0-9 and '-', and then '=' and the address follow, such as {EXAMPLE}"
        raise ValueError(f"{shown}{problem}{hint}")
    try:
        return _printer(name, url)
    except ValueError as error:
        raise ValueError(f"printer {name!r}: {error}") from None


def require_printers(printers: tuple[str, ...]) -> tuple[str, ...]:
    """Return the entries; raises ValueError, which says which of them is wrong and how, or that there are too many."""
    if len(printers) > MOST_PRINTERS:
        raise ValueError(f"{len(printers)} printers; at most {MOST_PRINTERS} are possible")
    problems = []
    for number, text in enumerate(printers, 1):
        try:
            printer_of(text)
        except ValueError as error:
            problems.append(str(error) if _is_named(text) else f"printer {number}: {error}")
    if problems:
        raise ValueError("; ".join(problems))
    for name, number in Counter(text.partition("=")[0] for text in printers).items():
        if number > 1:
            raise ValueError(f"two printers are named {name!r}; give each its own name")
    return printers


def _is_named(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals and _NAME.fullmatch(name))


def _printer(name: str, url: str) -> PrinterAddress:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(f"the address cannot be read; write it like {EXAMPLE}") from None
    if "@" in parts.netloc:
        raise ValueError("a printer's address has no user or password")
    if "#" in url:
        raise ValueError("a printer's address has no '#'")
    if parts.scheme not in (*PORTS, "file"):
        raise ValueError("the address begins with zpl://, ipp://, ipps:// or file:///")
    where = _file(parts) if parts.scheme == "file" else _host(parts, port)
    options = _options(parts.scheme, parts.query)
    label, status, fingerprint = (options.pop(name, "") for name in _OPTIONS)
    options["sheet"] = _sheet(parts.scheme, label, options.get("sheet", ""))
    return PrinterAddress(
        name,
        parts.scheme,
        *where,
        layout=MappingProxyType(options),
        asks_status=status != "off",
        fingerprint=bytes.fromhex(fingerprint.replace(":", "")) or None,
    )


def _file(parts: SplitResult) -> tuple[str, int, str]:
    path = unquote(parts.path)
    if parts.netloc or not path.startswith("/") or "\0" in path:
        raise ValueError("a device file has an absolute path, such as file:///dev/usb/lp0")
    return "", 0, path


def _host(parts: SplitResult, port: int | None) -> tuple[str, int, str]:
    host = parts.hostname or ""
    if not _HOST.fullmatch(host):
        raise ValueError("the address names no host, or one that cannot be read")
    _refuse_special(host)
    if port == 0:
        raise ValueError("0 is not the port of a printer")
    if parts.scheme == "zpl" and parts.path not in ("", "/"):
        raise ValueError("an address with zpl:// has no path")
    path = "" if parts.scheme == "zpl" else parts.path or "/ipp/print"
    if path and not _PATH.fullmatch(path):
        raise ValueError("the path has characters that are not visible ASCII")
    return host, port or PORTS[parts.scheme], path


def _refuse_special(host: str) -> None:
    """Raise ValueError for a numeric host in any spelling that no printer has: link-local, multicast, unspecified."""
    number = host.removesuffix(".")
    try:
        address = ip_address(number)
    except ValueError:
        try:
            address = ip_address(socket.inet_aton(number))  # such as 2852039166, which look-ups accept
        except OSError:
            return
    plain = (address.ipv4_mapped if isinstance(address, IPv6Address) else None) or address
    if plain.is_link_local or plain.is_multicast or plain.is_unspecified or plain == _BROADCAST:
        raise ValueError(f"{host} is link-local, multicast, broadcast or unspecified; no printer has such an address")


def _options(scheme: str, query: str) -> dict[str, str]:
    """Return the options of an address by name; only those in _OPTIONS are checked."""
    given = parse_qsl(query, keep_blank_values=True, strict_parsing=True, max_num_fields=_MOST_OPTIONS) if query else []
    options = dict(given)
    if len(options) < len(given):
        raise ValueError("an option is given twice")
    for name, (only, pattern, words) in _OPTIONS.items():
        if name in options and only not in ("", scheme):
            raise ValueError(f"{name}= is only for {only}://")
        if name in options and not re.fullmatch(pattern, options[name]):
            raise ValueError(f"{name}= is {words}")
    return options


def _sheet(scheme: str, label: str, sheet: str) -> str:
    """Return what is in the printer: a roll of labels of this size, or sheets, which only IPP prints."""
    if label and sheet:
        raise ValueError("give label=, the size of a roll's labels, or sheet=, not both")
    if not label and not (sheet and scheme.startswith("ipp")):
        sheets = ", or sheet=L7160" if scheme.startswith("ipp") else ""
        raise ValueError(f"name the labels in the printer: label=100x50mm{sheets}")
    return label or sheet
