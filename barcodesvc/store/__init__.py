"""What the service asks of a database: scripts and reads of named queries, free of any engine; sqlite/ answers them.

    handler -> script (inventory.py) -> Database.change (sqlite/database.py) -> Writer (sqlite/group_commit.py)
            -> one trip into the writer's thread (sqlite/connection.py), in which Statements answer the script

Rule: nothing here but the engine knows a library or a dialect of SQL.
"""
