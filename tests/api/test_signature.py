"""What a handler's annotations say of requests and responses."""

from typing import Annotated

from aiohttp import web

from barcodesvc.api.parameters import ProductInPath
from barcodesvc.api.resources import movements
from barcodesvc.api.responses import JSON
from barcodesvc.api.signature import CACHED, Enveloped, Example, Reads, Sends, Signature, body_type
from barcodesvc.models import LevelUpdate, Product
from barcodesvc.service import Service
from barcodesvc.store.idempotency import KeyedRequest

PNG = "image/png"
OneProduct = Annotated[Product, Enveloped("ProductResponse", "One product.", "The product.")]


async def _read(service: Service, id: ProductInPath) -> OneProduct:  # noqa: A002 - the name of the segment
    raise NotImplementedError(service, id)


async def _picture(name: str, body: Annotated[bytes, PNG]) -> Annotated[web.Response, Sends({PNG: bytes}, CACHED)]:
    raise NotImplementedError(name, body)


async def _whole(request: Annotated[web.Request, Reads({"code": str}, is_keyed=True)]) -> web.Response:
    raise NotImplementedError(request)


def test_segments_are_parameters_by_their_names() -> None:
    """Others, such as the service, are no part of the request."""
    signature = Signature(_read, ("id",))
    assert (signature.names, list(signature.path), signature.body) == (("service", "id"), ["id"], {})
    assert signature.headers == ()


def test_data_is_sent_in_an_envelope() -> None:
    """Its type has the name and the descriptions of the annotation."""
    signature = Signature(_read, ("id",))
    assert signature.data == (Product, True)
    envelope = body_type(signature.content[JSON])
    assert (envelope.__name__, envelope.__doc__) == ("ProductResponse", "One product.")
    assert envelope.model_fields["data"].description == "The product."


def test_a_file_is_read_and_sent_by_its_media_type() -> None:
    """A response with an entity tag can be asked for again."""
    signature = Signature(_picture, ("name",))
    assert (signature.body, signature.content) == ({PNG: bytes}, {PNG: bytes})
    assert (signature.headers, signature.response_headers) == (("If-None-Match",), CACHED)


def test_a_script_makes_a_change_once() -> None:
    """Its key is a header of the request, and its replay one of the response."""
    signature = Signature(movements.set_level, ("productId",))
    assert (signature.is_script, signature.is_keyed, signature.example) == (True, True, {"new_level": 8})
    assert signature.body == {JSON: LevelUpdate}
    assert (signature.headers, signature.response_headers) == (("Idempotency-Key",), ("Idempotency-Replayed",))


def test_a_handler_that_reads_by_itself_says_what() -> None:
    """The document shows it, although nothing reads it."""
    signature = Signature(_whole, ("code",))
    assert (signature.names, dict(signature.path), signature.is_keyed) == (("request",), {"code": str}, True)
    assert signature.is_read_by_handler
    assert not Signature(_read, ("id",)).is_read_by_handler


def test_an_example_is_of_the_whole_body() -> None:
    """The type of the body is without it."""

    def change(body: Annotated[LevelUpdate, Example({"new_level": 3})], key: KeyedRequest[LevelUpdate]) -> OneProduct:
        raise NotImplementedError(body, key)

    signature = Signature(change, ())
    assert (signature.body, signature.example) == ({JSON: LevelUpdate}, {"new_level": 3})
