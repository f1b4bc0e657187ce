"""Messages of IPP: requests as bytes, and responses from bytes (RFC 8010, chapter 3).

    version, operation or status, request id
    groups of attributes: a tag, then attributes: a tag, the name, and the value; more values have an empty name
    collections: the members' names and values between a begin and an end

The package pyipp has no collections and no resolutions in requests, which `media-col` needs, and raises errors of many
kinds for a response that is cut short; so this module has the codec.

Rule: a response is untrusted. Whatever is malformed, too deep or too long raises NotReachableError, and nothing else.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from barcodesvc.printers.connection import NotReachableError

VERSION = (2, 0)
_NUMBER = 1
"""The number of every request: HTTP says which response belongs to it."""
LONGEST = 64 * 1024
"""Bytes of the longest response that is read."""
_MOST_TAGS = 8192
"""Groups and values of a response, which take 20 ms at most."""
_DEEPEST = 8
_LONGEST_TEXT = 200


class Operation(IntEnum):
    """The operations that are used (RFC 8011, 5.4.15)."""

    PRINT_JOB = 0x0002
    GET_JOB_ATTRIBUTES = 0x0009
    GET_PRINTER_ATTRIBUTES = 0x000B


class Tag(IntEnum):
    """Tags of groups and of values (RFC 8010, 3.5)."""

    OPERATION_GROUP = 0x01
    JOB_GROUP = 0x02
    END = 0x03
    PRINTER_GROUP = 0x04
    LAST_GROUP = 0x0F
    LAST_OUT_OF_BAND = 0x1F
    INTEGER = 0x21
    BOOLEAN = 0x22
    ENUM = 0x23
    RESOLUTION = 0x32
    BEGIN_COLLECTION = 0x34
    TEXT_WITH_LANGUAGE = 0x35
    NAME_WITH_LANGUAGE = 0x36
    END_COLLECTION = 0x37
    NAME = 0x42
    KEYWORD = 0x44
    URI = 0x45
    CHARSET = 0x47
    NATURAL_LANGUAGE = 0x48
    MEDIA_TYPE = 0x49
    MEMBER_NAME = 0x4A


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a request: a number for INTEGER, a mapping for BEGIN_COLLECTION, else a text or texts."""

    tag: Tag
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Response:
    """A response: its status, and for each group that may occur its attributes, each with a list of values.

    Texts, numbers and booleans are themselves, collections are dictionaries, resolutions are dots across, dots down and
    their unit, and other values are bytes.
    """

    status: int
    groups: Mapping[int, Mapping[str, list[Any]]] = field(hash=False)

    def values(self, group: Tag, name: str) -> list[Any]:
        """Return the values of an attribute; an empty list if it is missing."""
        return self.groups.get(group, {}).get(name, [])


def request(operation: Operation, about: Sequence[Attribute], job: Sequence[Attribute] = ()) -> bytes:
    """Return a request with its attributes, to which a document may be appended."""
    head = struct.pack(">BBHI", *VERSION, operation, _NUMBER)
    first = (
        Attribute(Tag.CHARSET, "attributes-charset", "utf-8"),
        Attribute(Tag.NATURAL_LANGUAGE, "attributes-natural-language", "en"),
    )
    groups = bytes([Tag.OPERATION_GROUP]) + b"".join(map(_attribute, (*first, *about)))
    if job:
        groups += bytes([Tag.JOB_GROUP]) + b"".join(map(_attribute, job))
    return head + groups + bytes([Tag.END])


def response(message: bytes) -> Response:
    """Return the response in a message; raises NotReachableError."""
    try:
        return _Reader(message).response()
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise NotReachableError("the printer's response is cut short or malformed") from error


def plain(said: object) -> str:
    """Return the beginning of a text of the printer, without characters that a log or a terminal would obey."""
    return "".join(filter(str.isprintable, str(said)[:_LONGEST_TEXT]))


def _attribute(attribute: Attribute) -> bytes:
    values = attribute.value if isinstance(attribute.value, (list, tuple)) else [attribute.value]
    names = [attribute.name, *[""] * (len(values) - 1)]
    return b"".join(_named(attribute.tag, name, value) for name, value in zip(names, values, strict=True))


def _named(tag: Tag, name: str, value: Any) -> bytes:
    if tag is Tag.BEGIN_COLLECTION:
        return _field(tag, name, b"") + b"".join(_members(value)) + _field(Tag.END_COLLECTION, "", b"")
    if tag is Tag.INTEGER:
        return _field(tag, name, struct.pack(">i", value))
    return _field(tag, name, str(value).encode())


def _members(members: Mapping[str, Any]) -> Iterator[bytes]:
    for name, value in members.items():
        yield _field(Tag.MEMBER_NAME, "", name.encode())
        kind = Tag.BEGIN_COLLECTION if isinstance(value, Mapping) else Tag.INTEGER
        yield _named(kind, "", value)


def _field(tag: Tag, name: str, value: bytes) -> bytes:
    text = name.encode()
    return struct.pack(">BH", tag, len(text)) + text + struct.pack(">H", len(value)) + value


class _Reader:
    """Reads one message from its beginning to its end."""

    def __init__(self, message: bytes) -> None:
        self._message = message
        self._place = 0
        self._tags = 0

    def response(self) -> Response:
        _, _, status, _ = struct.unpack(">BBHI", self._bytes(8))
        groups: dict[int, dict[str, list[Any]]] = {}
        group: dict[str, list[Any]] | None = None
        name = ""
        while (tag := self._tag()) != Tag.END:
            if tag <= Tag.LAST_GROUP:
                group = groups.setdefault(tag, {})
                continue
            given, value = self._value(tag)
            name = given or name
            if group is None or not name:
                raise NotReachableError("the printer's response has a value without an attribute")
            group.setdefault(name, []).append(value)
        return Response(status, groups)

    def _value(self, tag: int, depth: int = 0) -> tuple[str, Any]:
        """Read what follows a tag, and return the name and the value."""
        if depth > _DEEPEST:
            raise NotReachableError("the printer's response is too large")
        name = self._sized().decode()
        value = self._sized()
        if tag == Tag.BEGIN_COLLECTION:
            return name, self._collection(depth + 1)
        return name, _decoded(tag, value)

    def _collection(self, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        name = ""
        while (tag := self._tag()) != Tag.END_COLLECTION:
            _, value = self._value(tag, depth)
            if tag == Tag.MEMBER_NAME:
                name = str(value)
            else:
                members.setdefault(name, value)
        self._sized()
        self._sized()
        return members

    def _tag(self) -> int:
        self._tags += 1
        if self._tags > _MOST_TAGS:
            raise NotReachableError("the printer's response is too large")
        return self._bytes(1)[0]

    def _sized(self) -> bytes:
        (length,) = struct.unpack(">H", self._bytes(2))
        return self._bytes(length)

    def _bytes(self, count: int) -> bytes:
        found = self._message[self._place : self._place + count]
        if len(found) < count:
            raise NotReachableError("the printer's response is cut short")
        self._place += count
        return found


def _decoded(tag: int, value: bytes) -> Any:
    if tag <= Tag.LAST_OUT_OF_BAND:
        return None
    if tag in (Tag.INTEGER, Tag.ENUM):
        return struct.unpack(">i", value)[0]
    if tag == Tag.RESOLUTION:
        return struct.unpack(">iib", value)
    if tag == Tag.BOOLEAN:
        return value == b"\1"
    if tag in (Tag.TEXT_WITH_LANGUAGE, Tag.NAME_WITH_LANGUAGE):
        return value[4 + struct.unpack_from(">H", value)[0] :].decode("utf-8", "replace")
    return value.decode("utf-8", "replace") if tag >= Tag.NAME - 1 else value
