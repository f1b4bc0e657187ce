"""What work runs in: bounded capacity, fair turns, threads, processes that can be killed, temporary files; and its log."""
