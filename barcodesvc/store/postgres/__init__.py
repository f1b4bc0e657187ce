"""The engine of PostgreSQL: pools of connections, transactions with retries, migrations.

Any number of processes, on any number of machines, may serve one database. So this package caches nothing that another
process could change, and the statement that reads what a change depends on also locks it (see sql/postgres).
"""
