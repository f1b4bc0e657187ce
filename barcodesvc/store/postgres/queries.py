"""The queries of this engine: those of sql/queries, and those of sql/postgres for PostgreSQL alone.

PostgreSQL numbers its parameters, so `:name` becomes `$1`, `$2`, ... in the order in which the names first occur.
Comments are removed, because the server would receive them with each statement.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from barcodesvc.store.queries import COMMENT, PARAMETER, Query, load_queries


@dataclass(frozen=True, slots=True)
class NumberedQuery:
    """A statement with numbered parameters; `order` holds their names in this order."""

    sql: str
    order: tuple[str, ...]

    def values(self, parameters: Mapping[str, Any]) -> list[Any]:
        """Return the values of the parameters, in their order."""
        return [_bound(parameters[name]) for name in self.order]


def _bound(value: Any) -> Any:
    """Return a value that can be sent: PostgreSQL's texts hold no NUL, so another control character replaces it.

    Stored texts contain neither (see models.py), so a search for either finds nothing.
    """
    return value.replace("\0", "\1") if isinstance(value, str) and "\0" in value else value


def numbered(query: Query) -> NumberedQuery:
    """Return a query with numbers for the names of its parameters."""
    bare = COMMENT.sub("", query.sql).strip()
    numbers = {name: number for number, name in enumerate(dict.fromkeys(PARAMETER.findall(bare)), 1)}
    return NumberedQuery(PARAMETER.sub(lambda found: f"${numbers[found[1]]}", bare), tuple(numbers))


QUERIES: Mapping[str, NumberedQuery] = {name: numbered(query) for name, query in load_queries("postgres").items()}
