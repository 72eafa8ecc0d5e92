"""Routes whose body or answer is a file: streamed, so no row of the table of JSON routes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import web

from controlroom.core.access import Rule, rule_of
from controlroom.hub.api.callers import Caller, KnowsCallers
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import PREFIX
from controlroom.kit.http import json_answer

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class FileRoute:
    """``name`` is what a refusal calls it. ``is_taken``: a file comes with the request."""

    method: str
    path: str
    name: str
    summary: str
    serve: Callable[[Parts, Caller, web.Request], Awaitable[web.StreamResponse]]
    is_taken: bool = False

    @property
    def rule(self) -> Rule:
        return rule_of(f"{self.method} {PREFIX}{self.path}")


async def post_upload(parts: Parts, caller: Caller, request: web.Request) -> web.StreamResponse:
    return json_answer(await parts.uploads.take(request, caller.by), 201)


async def get_upload(parts: Parts, caller: Caller, request: web.Request) -> web.StreamResponse:
    return await parts.uploads.give(request, request.match_info["upload_id"])


FILE_ROUTES: tuple[FileRoute, ...] = (
    FileRoute(
        "POST",
        "/uploads",
        "uploads",
        "Leave a file for a message: a form (multipart/form-data) with the file as the part named file.",
        post_upload,
        is_taken=True,
    ),
    FileRoute(
        "GET",
        "/uploads/{upload_id}",
        "uploads",
        "An uploaded file: a picture (by its bytes) to be shown, anything else to be saved.",
        get_upload,
    ),
)


def served_file(route: FileRoute, parts: Parts, callers: KnowsCallers) -> Handler:
    """Who asks, may they; then the file."""

    async def serve(request: web.Request) -> web.StreamResponse:
        caller = await callers.of(request)
        if not caller.may(route.rule):
            refusal = caller.refusal(route.name, route.rule)
            if refusal.code != "locked":
                await parts.receipts.refused(caller.by, route.name, None, refusal.text)
            raise refusal
        caller.acts()
        return await route.serve(parts, caller, request)

    return serve
