"""How many bytes of a connection its peer has not confirmed: what the system has buffered has not been received yet."""

import fcntl
import struct
import termios


def unconfirmed_bytes(descriptor: int) -> int:
    """Return the bytes that were written to a socket and are not confirmed; 0 for a closed one, or if it is unknown."""
    try:
        number: int = struct.unpack("i", fcntl.ioctl(descriptor, termios.TIOCOUTQ, bytes(4)))[0]
    except (OSError, ValueError):  # ValueError for the descriptor of a closed socket
        return 0
    return number
