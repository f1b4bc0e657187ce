"""What the service asks of a database: scripts and reads of named queries, which an engine answers.

A PUT of a level, from the handler to the disk:

    api/resources/inventory.py          the handler calls `set_level`
    store/inventory.py                  which gives its script to `Database.change` (store/database.py)
    store/sqlite/database.py            the engine passes it to its writer
    store/sqlite/group_commit.py        which takes all changes that wait into one transaction,
    store/sqlite/connection.py          in one trip to the thread of its connection,
    store/sqlite/statements.py          where each statement of a script runs, and then the commit

In PostgreSQL (store/postgres/) each change has a transaction of its own. The statements stand under their names in
sql/queries/inventory.sql, and in that file of sql/sqlite and sql/postgres where the engines differ. Rule: nothing here
but the engines knows a library or a dialect of SQL.
"""
