"""Printers: connections to them, and the queue that sends jobs."""
