"""Observability: metrics, the access log, request ids and log formatting."""
