"""The limit on file descriptors: a connection takes one, and those that files and processes need must stay free.

Without it, a thousand idle clients would make imports and exports fail on a system that allows the usual 1,024. So the
limit is raised as far as it can be, and the number of connections bounded below it.
"""

from __future__ import annotations

import logging
import resource

_LOG = logging.getLogger(__name__)

KEPT_FREE = 256
"""Descriptors for the database with its snapshots, uploads, exports and worker processes."""


def connections_possible(wanted: int) -> int:
    """Raise the system's limit as far as these connections need and it may be; return how many of them are possible."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + KEPT_FREE
    if soft in range(needed):  # no limit at all is -1
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft not in range(needed):
        return wanted
    _LOG.warning("%d open files are allowed, too few for %d connections", soft, wanted)
    return max(1, soft - KEPT_FREE, soft // 2)
