from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from contextlib import ExitStack
from typing import Any

import pytest

from barcodesvc.api.keys import ARRIVING, IMAGE_READER
from tests.api.image_requests import (
    FORM,
    IMAGE,
    IMAGE_PART,
    JSON,
    PATH,
    PEN,
    ROOM,
    data,
    head,
    padded,
    sent,
    sent_base64,
)
from tests.conftest import Client


async def test_an_image_beyond_the_queue_is_refused_before_it_arrives(client: Client, raw: Any) -> None:
    """Nothing of its body is waited for."""
    reader = client.app[IMAGE_READER]
    with ExitStack() as held:
        for _ in range(reader.images.free):
            held.enter_context(reader.images.held())
        assert b"too many images are waiting to be read" in await raw(client, head(9000), b"}}")


@pytest.mark.parametrize("send", [sent, sent_base64])
async def test_images_beyond_the_queue_are_a_503(shop: Client, refused: Any, send: Any) -> None:
    """While as many wait as may, the next image is refused at once, and texts go on; then it is taken."""
    reader = shop.app[IMAGE_READER]
    with ExitStack() as held:
        for _ in range(reader.images.free):
            held.enter_context(reader.images.held())
        answer = await send(shop, IMAGE)
        await refused(answer, 503, "GENERATION_ERROR")
        assert answer.headers["Retry-After"] == "2"
        assert (await shop.post(PATH, json={"code_data": "A-1"})).status == 200
    assert (await send(shop, IMAGE)).status == 200


@pytest.mark.parametrize(("kind", "before"), [(FORM, IMAGE_PART), ("application/json", b'{"image_base64":"')])
async def test_a_client_that_leaves_gives_its_room_back(make_client: Any, until: Any, kind: str, before: bytes) -> None:
    """What has arrived of an image takes room, and none when nobody sends the rest any more."""
    client = await make_client(max_json_bytes=1024)
    arrivals = client.app[IMAGE_READER].arriving_bytes
    _, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(head(300_000, kind) + before.ljust(250_000, b"A"))
    await until(lambda: arrivals.free < ROOM)
    writer.transport.abort()
    await until(lambda: arrivals.free == ROOM)


@pytest.mark.parametrize("send", [sent, sent_base64])
async def test_images_without_room_to_arrive_are_a_503(make_client: Any, refused: Any, send: Any) -> None:
    """While others take the room an image is refused as soon as it takes more; then there is room for it."""
    client = await make_client(max_json_bytes=1024)
    arrivals = client.app[IMAGE_READER].arriving_bytes
    with arrivals.held(arrivals.free - 10_000):
        answer = await send(client, padded(20_000))
        await refused(answer, 503, "GENERATION_ERROR")
        assert answer.headers["Retry-After"] == "2"
        assert arrivals.free == 10_000
    await refused(await send(client, padded(20_000)), 404, "PRODUCT_NOT_FOUND")


async def test_one_image_in_json_always_has_room(make_client: Any, refused: Any) -> None:
    """However small uploads are beside other JSON, the longest body that is taken at all fits."""
    client = await make_client(max_json_bytes=100_000, max_upload_bytes=2048)
    body = json.dumps({"image_base64": b64encode(padded(1500)).decode()}).encode()
    await refused(await client.post(PATH, data=body.ljust(101_000), headers=JSON), 404, "PRODUCT_NOT_FOUND")


async def test_connections_that_send_no_image_keep_nobody_out(shop: Client, until: Any) -> None:
    """However many forms have begun, an image that arrives is read."""
    senders = []
    for _ in range(3 * shop.app[IMAGE_READER].images.most):
        _, writer = await asyncio.open_connection(shop.host, shop.port)
        writer.write(head(9000) + IMAGE_PART)
        senders.append(writer)
    await until(lambda: len(shop.app[ARRIVING]) == len(senders))
    assert (await data(await sent(shop, IMAGE)))["product"] == PEN
    for writer in senders:
        writer.transport.abort()


async def test_as_many_images_at_once_as_settings_say(make_client: Any) -> None:
    """As many are taken as there are threads that read images, and as may wait for one."""
    client = await make_client(image_threads=3, image_queue=4)
    assert client.app[IMAGE_READER].images.free == 3 + 4
