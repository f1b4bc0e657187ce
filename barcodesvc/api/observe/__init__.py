"""What can be seen of the service while it runs: metrics, the access log, ids of requests, log lines."""
