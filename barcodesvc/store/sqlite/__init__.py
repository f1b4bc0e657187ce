"""The engine for one process and one file: SQLite through aiosqlite, which nothing else of the service knows.

Rule: what sqlite3 raises leaves this package as a DatabaseFailure, with its cause in the log.
"""
