"""What the service asks of a database: scripts and reads of named queries, which an engine carries out.

A PUT of a level, from the handler to the disk:

    api/resources/movements.py          the handler makes the script `movements.set_level`,
    store/idempotency.py                which `once` plays in a change, unless a reply is kept,
    store/sqlite/database.py            and the engine passes to its writer,
    store/sqlite/group_commit.py        which takes all waiting changes into one transaction,
    store/sqlite/connection.py          in one trip to the thread of its connection, where each statement of a
                                        script runs, and then the commit

In PostgreSQL (store/postgres/) each change has its own transaction. The statements are in sql/queries/movements.sql by
name, and in sql/sqlite and sql/postgres where the engines differ. Rule: only the engines know a library or a dialect of
SQL.
"""
