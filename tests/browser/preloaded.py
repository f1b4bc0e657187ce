"""Loads what forked services share: the modules and the page that each would load by itself, as frozen objects.

Frozen objects are left out of garbage collections, which would otherwise copy the memory that the processes share.
"""

import gc

import barcode  # noqa: F401 - the service loads these with the first request that needs them
import uvloop  # noqa: F401
from PIL import ImageFont  # noqa: F401

import barcodesvc.__main__
import barcodesvc.store.sqlite.database  # noqa: F401
from barcodesvc.api.resources.page_files import PAGE_FOLDER, load_page

load_page(PAGE_FOLDER)
gc.collect()
gc.freeze()
