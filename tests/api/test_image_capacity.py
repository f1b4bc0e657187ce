"""How many images may be read, wait and arrive at a time, and what a client of them has."""

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiohttp import ClientResponse

from barcodesvc import service
from barcodesvc.api.keys import ARRIVING, SERVICE
from barcodesvc.scanning.images import reader as images
from tests.api.calls import SCANNED_PEN
from tests.api.conftest import PRODUCT
from tests.api.image_requests import (
    IMAGE,
    IMAGE_PART,
    JSON,
    PATH,
    ROOM,
    data,
    head,
    padded,
    sent,
    sent_base64,
)
from tests.api.replies import refused
from tests.api.sockets import raw
from tests.fixture_types import Client
from tests.forms import END, KIND, MULTIPART
from tests.scanning.symbol_images import file_of, finder_patterns, on_paper, symbol

HARD = finder_patterns(2500)
"""A large image that keeps its process busy for the maximum time."""


@dataclass
class Crowd:
    """Clients behind a proxy, which send expensive images and wait."""

    service: Client
    sending: list[asyncio.Task[ClientResponse]] = field(default_factory=list)

    def send(self, address: str, count: int, image: bytes = HARD) -> None:
        """Start sending this many images from this address."""
        self.sending += [asyncio.create_task(sent_from(self.service, address, image)) for _ in range(count)]

    async def leave(self) -> None:
        """Close all connections."""
        for task in self.sending:
            task.cancel()
        await asyncio.gather(*self.sending, return_exceptions=True)


async def sent_from(client: Client, address: str, image: bytes) -> ClientResponse:
    """Send an image that a trusted proxy attributes to this address."""
    body = IMAGE_PART + image + END
    return await client.post(PATH, data=body, headers={**MULTIPART, "X-Forwarded-For": address})


@pytest.fixture
async def crowd(make_client: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Crowd]:
    """Return clients of a service that reads four images at a time, two of them long, and lets two more wait."""
    monkeypatch.setattr(images, "LIMITS", replace(images.LIMITS, seconds=60))  # for a busy machine
    monkeypatch.setattr(service, "IMAGE_QUEUE", 2)
    client = await make_client(image_threads=2, trusted_proxies="127.0.0.1")
    assert (await client.post("/api/products", json=PRODUCT)).status == 201
    crowd = Crowd(client)
    yield crowd
    await crowd.leave()


def under_way(crowd: Crowd) -> int:
    """Return how many images are read or wait."""
    return crowd.service.app[SERVICE].image_reader.places.used


async def test_images_beyond_the_queue_are_a_503(crowd: Crowd, until: Any) -> None:
    """A client has half of the places and of the queue; one more is refused, while other clients and texts work.

    The refusal waits for no byte of the body.
    """
    crowd.send("192.0.2.1", 3)
    await until(lambda: under_way(crowd) == 3)
    large = head(3_000_000).replace(b"Host: x", b"Host: x\r\nX-Forwarded-For: 192.0.2.1")
    assert b"too many images are waiting to be read" in await raw(crowd.service, large, b"}}")
    response = await sent_from(crowd.service, "192.0.2.1", HARD)
    await refused(response, 503, "GENERATION_ERROR")
    assert response.headers["Retry-After"] == "2"
    assert (await data(await sent_from(crowd.service, "192.0.2.2", IMAGE)))["product"] == SCANNED_PEN
    assert (await data(await sent_base64(crowd.service, IMAGE)))["product"] == SCANNED_PEN
    assert (await crowd.service.post(PATH, json={"code_data": "A-1"})).status == 200


async def test_another_client_has_half_of_the_places(crowd: Crowd, until: Any) -> None:
    """Its image is read while those of the first client are in progress; an IPv6 client is a /64.

    When clients have gone, their images end at once, and waiting ones never start.
    """
    for host in (1, 2, 3):
        crowd.send(f"2001:db8:0:2::{host}", 1)
    await until(lambda: under_way(crowd) == 3)
    large = file_of(on_paper((symbol(content="A-1"), (40, 40)), side=1200))
    assert (await data(await sent_from(crowd.service, "2001:db8:0:1::1", large)))["product"] == SCANNED_PEN
    assert not any(task.done() for task in crowd.sending)
    await crowd.leave()
    await until(lambda: under_way(crowd) == 0)


@pytest.mark.parametrize(("kind", "before"), [(KIND, IMAGE_PART), ("application/json", b'{"image_base64":"')])
async def test_a_client_that_leaves_gives_its_room_back(make_client: Any, until: Any, kind: str, before: bytes) -> None:
    """The bytes of a partial image take capacity, which is released when its client disconnects."""
    client = await make_client(max_json_bytes=1024)
    arrivals = client.app[SERVICE].image_reader.arriving_bytes
    _, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(head(300_000, kind) + before.ljust(250_000, b"A"))
    await until(lambda: arrivals.free < ROOM)
    writer.transport.abort()
    await until(lambda: arrivals.free == ROOM)


@pytest.mark.parametrize("send", [sent, sent_base64])
async def test_images_without_room_to_arrive_are_a_503(make_client: Any, send: Any) -> None:
    """While others hold the capacity, an image is refused once it needs more; later there is capacity again."""
    client = await make_client(max_json_bytes=1024)
    arrivals = client.app[SERVICE].image_reader.arriving_bytes
    with arrivals.held(arrivals.free - 10_000):
        response = await send(client, padded(20_000))
        await refused(response, 503, "GENERATION_ERROR")
        assert response.headers["Retry-After"] == "2"
        assert arrivals.free == 10_000
    await refused(await send(client, padded(20_000)), 404, "PRODUCT_NOT_FOUND")


async def test_one_image_in_json_always_has_room(make_client: Any) -> None:
    """Even if the upload limit is lower than that of JSON, the longest allowed body fits."""
    client = await make_client(max_json_bytes=60_000, max_upload_bytes=2048)
    body = json.dumps({"image_base64": b64encode(padded(1500)).decode()}).encode()
    await refused(await client.post(PATH, data=body.ljust(61_000), headers=JSON), 404, "PRODUCT_NOT_FOUND")


async def test_connections_that_send_no_image_keep_no_one_out(shop: Client, until: Any) -> None:
    """However many forms have been started, an image that arrives is read."""
    senders = []
    for _ in range(3 * shop.app[SERVICE].image_reader.places.most):
        _, writer = await asyncio.open_connection(shop.host, shop.port)
        writer.write(head(9000) + IMAGE_PART)
        senders.append(writer)
    await until(lambda: len(shop.app[ARRIVING]) == len(senders))
    assert (await data(await sent(shop, IMAGE)))["product"] == SCANNED_PEN
    for writer in senders:
        writer.transport.abort()
