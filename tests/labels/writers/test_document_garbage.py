"""A PDF document of borb, whose objects refer to one another, is freed without the garbage collector."""

import gc

from barcodesvc.labels.writers.pdf_document import write_document


def _left_over(pages: int) -> int:
    """Write a document, and return how many objects of it only a collection frees."""
    gc.collect()
    gc.disable()
    try:
        write_document((100, 100), [b"q Q"] * pages, {})
        return gc.collect()
    finally:
        gc.enable()


def test_no_page_waits_for_a_garbage_collection() -> None:
    """A collection is rare in the service: sheets of labels would fill the memory until then."""
    assert _left_over(100) < 100
