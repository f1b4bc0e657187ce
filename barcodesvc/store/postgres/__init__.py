"""The engine of PostgreSQL: pools of connections, transactions that are tried again, migrations.

Any number of processes, on any number of machines, may serve one database. So nothing is remembered here that another
one could change, and whatever a change starts from is locked by the statement that reads it (see sql/postgres).
"""
