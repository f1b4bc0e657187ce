"""Named queries, loaded from the SQL files: a header such as `-- name: get_product(id)^`, and a statement below it.

sql/queries holds the queries for every engine, and the folder of an engine holds those for it alone. A name is unique
in both, so callers do not need to know which. The mark after the parameters says what the query returns: `^` one row or
none, no mark any rows, `!` no rows.

Text that several statements share is a part, with a header such as `-- part: lock`, and replaces `{lock}` in statements
and other parts. Where the syntax of the engines differs, each engine's folder has a part of the same name.

Rule: loading refuses a query whose declared parameters are not exactly those that its text uses, a malformed header,
and anything but one statement below a header.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import TypeVar

T = TypeVar("T")

_HEADER = re.compile(
    r"^-- (?:name: (?P<name>\w+)\((?P<parameters>[\w, ]*)\)(?P<yields>[\^!]?)|part: (?P<part>\w+))$", re.MULTILINE
)
_HEADER_LIKE = re.compile(r"^.*--\s*(?:name\b|part:).*$", re.MULTILINE | re.IGNORECASE)
_PART = re.compile(r"{(\w+)}")
COMMENT = re.compile(r"--.*")
PARAMETER = re.compile(r"(?<!:):([a-z]\w*)")


@dataclass(frozen=True, slots=True)
class Query:
    """A named statement; `parameters` are the names that must be bound."""

    name: str
    parameters: frozenset[str]
    yields: str
    sql: str


def parse_parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each part in one SQL file, without comments."""
    for header, below in _sections(text):
        if header["part"]:
            yield header["part"], COMMENT.sub("", below).strip()


def parse_queries(text: str, parts: Mapping[str, str] = MappingProxyType({})) -> Iterator[Query]:
    """Yield the named queries of one SQL file; raises ValueError, naming the line or the query, for a wrong one."""
    for found in _HEADER_LIKE.finditer(text):
        if not _HEADER.fullmatch(found[0]):
            raise ValueError(f"{found[0]!r} is not a header such as '-- name: get_product(id)^'")
    first = _HEADER.search(text)
    if COMMENT.sub("", text[: first.start() if first else len(text)]).strip():
        raise ValueError("there is a statement above the first header")
    for header, below in _sections(text):
        if header["name"]:
            yield _query(header, below, parts)


def _sections(text: str) -> Iterator[tuple[re.Match[str], str]]:
    headers = list(_HEADER.finditer(text))
    ends = [header.start() for header in headers[1:]] + [len(text)]
    for header, end in zip(headers, ends, strict=True):
        yield header, text[header.end() : end].strip()


def _query(header: re.Match[str], text: str, parts: Mapping[str, str]) -> Query:
    try:
        sql = filled_in(text, parts)
    except KeyError as unknown:
        raise ValueError(f"query {header['name']} uses the part {unknown}, which is in no file") from None
    bare = COMMENT.sub("", sql).strip()
    if not bare.endswith(";") or bare.count(";") > 1:
        raise ValueError(f"query {header['name']} is not one statement that ends with a semicolon")
    declared = frozenset(re.findall(r"\w+", header["parameters"]))
    used = frozenset(PARAMETER.findall(bare))
    if declared != used:
        raise ValueError(f"query {header['name']} declares {sorted(declared)} but uses {sorted(used)}")
    return Query(header["name"], declared, header["yields"], sql)


def filled_in(text: str, parts: Mapping[str, str]) -> str:
    """Return a text with its parts in it; raises KeyError for an unknown one."""
    return _PART.sub(lambda found: filled_in(parts[found[1]], parts), text)


def load_queries(engine: str, **parts: str) -> Mapping[str, Query]:
    """Read sql/queries and the folder of the engine; `parts` replace those of the same names there.

    Raises ValueError if two queries or two parts share a name.
    """
    parts = {**load_parts(engine), **parts}
    return _unique("queries", [(query.name, query) for text in _texts(engine) for query in parse_queries(text, parts)])


def load_parts(engine: str) -> Mapping[str, str]:
    """Read the parts in the same folders; raises ValueError if two share a name."""
    return _unique("parts", [part for text in _texts(engine) for part in parse_parts(text)])


def _texts(engine: str) -> Iterator[str]:
    for folder in ("queries", engine):
        for file in sorted(files("barcodesvc.sql").joinpath(folder).iterdir(), key=lambda file: file.name):
            if file.name.endswith(".sql"):
                yield file.read_text("utf-8")


def _unique(what: str, named: list[tuple[str, T]]) -> Mapping[str, T]:
    found: dict[str, T] = {}
    for name, value in named:
        if name in found:
            raise ValueError(f"two {what} are named {name}")
        found[name] = value
    return MappingProxyType(found)
