"""What work runs in: bounded capacity, threads, processes that can be killed, temporary files."""
