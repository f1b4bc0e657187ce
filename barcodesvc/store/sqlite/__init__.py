"""The engine for one process and one file: SQLite through aiosqlite, which no other part of the service uses.

Rule: errors of sqlite3 leave this package as DatabaseFailure, with their causes in the log.
"""
