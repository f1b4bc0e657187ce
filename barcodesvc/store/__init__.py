"""What the service asks of a database: scripts and reads of named queries, free of any engine; sqlite/ answers them.

A PUT of a level, from the handler to the disk:

    api/resources/inventory.py          the handler calls `set_level`
    store/inventory.py                  which gives its script to `Database.change` (store/database.py)
    store/sqlite/database.py            the engine passes it to its writer
    store/sqlite/group_commit.py        which takes all changes that wait into one transaction,
    store/sqlite/connection.py          in one trip to the thread of its connection,
    store/sqlite/statements.py          where each statement of a script runs, and then the commit

The statements stand under their names in sql/queries/inventory.sql. Rule: nothing here but the engine knows a library
or a dialect of SQL.
"""
