"""The service as `python -m barcodesvc` starts it, which reports what it holds.

    python -m scripts.faults.launcher

On SIGUSR1 it prints one line of JSON: how many tasks its event loop has, how many threads Python knows, and how many
blocks of memory live objects have after a full garbage collection.
"""

import asyncio
import gc
import json
import signal
import sys
import threading

from barcodesvc import __main__ as service


def _reported_on_signal(*_: object) -> None:
    gc.collect()
    blocks = sys.getallocatedblocks()
    counts = {"tasks": len(asyncio.all_tasks()), "threads": threading.active_count(), "blocks": blocks}
    print(json.dumps(counts), flush=True)


def main() -> int:
    """Serve until a signal, and return the status."""
    signal.signal(signal.SIGUSR1, _reported_on_signal)
    return service.main()


if __name__ == "__main__":
    sys.exit(main())
