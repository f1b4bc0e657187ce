"""A service with stock, for tests of the page."""

from __future__ import annotations

from tests.served import Service


def with_two_products(service: Service) -> Service:
    """Return the service with two products, of which it has three each."""
    for code, description in (("A-1", "Blue pen"), ("B-2", "Nut M8")):
        service.call("POST", "/api/products", {"product_code": code, "description": description, "initial_level": 3})
    return service


def level(service: Service, product: int = 1) -> int:
    """Return the level of a product."""
    found: int = service.call("GET", f"/api/inventory?product_id={product}")["data"][0]["current_level"]
    return found
