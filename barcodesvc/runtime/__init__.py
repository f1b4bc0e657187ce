"""What work runs in, such as bounded capacity, fair turns, threads and processes that can be killed, and its log."""
