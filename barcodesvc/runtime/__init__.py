"""What work runs in: threads, processes that can be killed, temporary files, room for bodies that arrive."""
