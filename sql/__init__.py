"""The SQL of the service: named queries in queries/, numbered migrations in migrations/."""
