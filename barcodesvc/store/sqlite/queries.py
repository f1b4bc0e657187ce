"""The queries of this engine: those of sql/queries, and those of sql/sqlite for SQLite alone."""

from __future__ import annotations

from barcodesvc.store.queries import load_queries

QUERIES = load_queries("sqlite")
