"""The SQL of the service: named queries and migrations for both engines, and in sqlite/ and postgres/ what differs."""
