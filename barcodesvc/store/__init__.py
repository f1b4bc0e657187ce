"""The database: one writer, some readers, hand-written SQL by name; the only place that knows aiosqlite."""
