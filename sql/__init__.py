"""The SQL of the service: named queries in queries/; in sqlite/ those that only SQLite knows, and its migrations."""
