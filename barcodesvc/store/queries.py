"""Named queries, from the SQL files: `-- name: get_product(id)^` and the statement below it, up to the next name.

What any engine understands stands in sql/queries; what only one does, in the folder of its name beside it. A name finds
its query in either, so that nobody who asks by name knows which.

Behind the parameters stands what comes back: `^` one row or none, nothing for rows, `!` for no rows. A query whose
declared parameters are not exactly those that its text uses is refused when the files are loaded; so is a header
that does not keep to the form, and anything but one statement below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

_HEADER = re.compile(r"^-- name: (?P<name>\w+)\((?P<parameters>[\w, ]*)\)(?P<yields>[\^!]?)$", re.MULTILINE)
_HEADER_LIKE = re.compile(r"^.*--\s*name\b.*$", re.MULTILINE | re.IGNORECASE)
COMMENT = re.compile(r"--.*")
PARAMETER = re.compile(r"(?<!:):([a-z]\w*)")


@dataclass(frozen=True, slots=True)
class Query:
    """A named statement; `parameters` are the names that must be bound."""

    name: str
    parameters: frozenset[str]
    yields: str
    sql: str


def parse_queries(text: str) -> Iterator[Query]:
    """Read the named queries of one SQL file; raises ValueError, naming the line or the query, for a wrong one."""
    for line in _HEADER_LIKE.findall(text):
        if not _HEADER.fullmatch(line):
            raise ValueError(f"{line!r} is no header such as '-- name: get_product(id)^'")
    headers = list(_HEADER.finditer(text))
    starts = [header.start() for header in headers] + [len(text)]
    if COMMENT.sub("", text[: starts[0]]).strip():
        raise ValueError("a statement stands in front of the first header")
    for header, end in zip(headers, starts[1:], strict=True):
        yield _query(header, text[header.end() : end].strip())


def _query(header: re.Match[str], sql: str) -> Query:
    bare = COMMENT.sub("", sql).strip()
    if not bare.endswith(";") or bare.count(";") > 1:
        raise ValueError(f"query {header['name']} is not one statement that ends with a semicolon")
    declared = frozenset(re.findall(r"\w+", header["parameters"]))
    used = frozenset(PARAMETER.findall(bare))
    if declared != used:
        raise ValueError(f"query {header['name']} declares {sorted(declared)} but uses {sorted(used)}")
    return Query(header["name"], declared, header["yields"], sql)


def load_queries(engine: str) -> Mapping[str, Query]:
    """Read sql/queries and the folder of the engine; raises ValueError if two queries share a name."""
    queries: dict[str, Query] = {}
    for folder in ("queries", engine):
        for file in sorted(files("barcodesvc.sql").joinpath(folder).iterdir(), key=lambda file: file.name):
            for query in parse_queries(file.read_text("utf-8")) if file.name.endswith(".sql") else ():
                if query.name in queries:
                    raise ValueError(f"two queries are named {query.name}")
                queries[query.name] = query
    return MappingProxyType(queries)
