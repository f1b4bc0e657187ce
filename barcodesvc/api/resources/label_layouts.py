"""The handlers of saved layouts: a layout under a name, for requests that print labels to use or to change."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from aiohttp import web
from typing_extensions import TypedDict

from barcodesvc.api.keys import SERVICE
from barcodesvc.api.requests import NoQuery, gathered_in, read_model, read_query, refuse_together
from barcodesvc.api.responses import JsonResponse, Success, json_response
from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.fields import described
from barcodesvc.labels.layout_requests import Layout, require_name
from barcodesvc.labels.print_settings import corrected
from barcodesvc.store import saved
from barcodesvc.store.saved import SavedLayout
from barcodesvc.validation import repeatable


class LayoutResponse(TypedDict):
    """One saved layout."""

    success: Success
    data: Annotated[SavedLayout, described("The layout.")]


class LayoutsResponse(TypedDict):
    """All saved layouts."""

    success: Success
    data: Annotated[list[SavedLayout], described("The layouts by name.")]


class DeletedName(TypedDict):
    """A confirmation for people."""

    success: Success
    message: Annotated[str, described("What was deleted, for people.", "deleted layout 'shelf'")]


async def list_layouts(request: web.Request) -> JsonResponse[LayoutsResponse]:
    """GET /api/codes/layouts: every saved layout."""
    read_query(request, NoQuery)
    return json_response(LayoutsResponse(success=True, data=await saved.list_layouts(request.app[SERVICE].database)))


async def get_layout(request: web.Request) -> JsonResponse[LayoutResponse]:
    """GET /api/codes/layouts/{name}: one saved layout."""
    layout = await saved.get_layout(request.app[SERVICE].database, read_bare_name(request))
    return json_response(LayoutResponse(success=True, data=layout))


async def save_layout(request: web.Request) -> JsonResponse[LayoutResponse]:
    """PUT /api/codes/layouts/{name}: a layout that is saved under this name, in place of an earlier one."""
    refusals: list[InvalidInput] = []
    with gathered_in(refusals):
        name = read_name(request)
    with gathered_in(refusals):
        layout = await read_model(request, Layout)
        _require_whole(layout)
    refuse_together(refusals)
    sent, service = layout.model_dump(exclude_unset=True), request.app[SERVICE]
    stored = await service.database.change(lambda: saved.save_layout(name, sent, service.clock.timestamp()))
    return json_response(LayoutResponse(success=True, data=stored))


async def delete_layout(request: web.Request) -> JsonResponse[DeletedName]:
    """DELETE /api/codes/layouts/{name}: the end of a saved layout."""
    name = read_bare_name(request)
    await request.app[SERVICE].database.change(lambda: saved.delete_layout(name))
    return json_response(DeletedName(success=True, message=f"deleted layout {name!r}"))


def read_name(request: web.Request) -> str:
    """Read the name from the path; raises InvalidInput."""
    name = request.match_info["name"]
    try:
        return require_name(name)
    except ValueError as error:
        raise InvalidInput.of(FieldProblem("name", str(error), repeatable(name))) from None


def read_bare_name(request: web.Request) -> str:
    """Read the name from the path of a request without parameters; raises InvalidInput for what is wrong in either."""
    refusals: list[InvalidInput] = []
    with gathered_in(refusals):
        name = read_name(request)
    with gathered_in(refusals):
        read_query(request, NoQuery)
    refuse_together(refusals)
    return name


def _require_whole(layout: Layout) -> None:
    """Raise InvalidInput if the lengths of a layout contradict each other, with its fields as the body names them."""
    if layout.name is not None:
        raise InvalidInput.of(FieldProblem("name", "a layout is saved under the name in the path", layout.name))
    try:
        corrected(layout.laid_out(), layout.print_settings())
    except InvalidInput as refusal:
        problems = [FieldProblem(**problem) for problem in refusal.details["errors"]]
        named = [replace(problem, field=problem.field.removeprefix("layout.")) for problem in problems]
        raise InvalidInput.of(*named) from refusal
