"""What turns drawings into files."""
