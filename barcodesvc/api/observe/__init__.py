"""Observability: metrics, the access log, ids of requests, log lines."""
