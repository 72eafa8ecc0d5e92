"""The media routes of the relay protocol (contract section 19)."""

from __future__ import annotations

import mimetypes
import os
from collections.abc import Sequence
from typing import Final

import structlog
from aiohttp import web

from controlroom.core.media import ANY_TYPE, LONGEST_NAME, MediaEntry, content_type, is_expired, is_sensitive
from controlroom.core.text import clean_line
from controlroom.gateway.access import Access
from controlroom.gateway.answers import failed
from controlroom.gateway.bodies import BadRequest, json_object
from controlroom.gateway.media.files import Files, NotGiven
from controlroom.gateway.media.store import MediaStore
from controlroom.kit.clock import Clock
from controlroom.kit.http import json_answer
from controlroom.kit.receiving import Receiver, UploadRefused
from controlroom.kit.sending import Sender
from controlroom.kit.sql import DatabaseTrouble

_log = structlog.get_logger("media")
UNKNOWN: Final = "media token not found or expired"
SLOW: Final = "the file system does not answer"
NOT_STORED: Final = "the control room cannot store this now"


class MediaRoutes:
    """Register, fetch, upload and list. The fixed paths are registered before the one with a token."""

    def __init__(
        self,
        *,
        access: Access,
        store: MediaStore,
        files: Files,
        sender: Sender,
        receiver: Receiver,
        strict: bool,
        clock: Clock,
    ) -> None:
        self._access = access
        self._store = store
        self._files = files
        self._sender = sender
        self._receiver = receiver
        self._strict = strict
        self._clock = clock
        self._types = mimetypes.MimeTypes()  # Python's own table, not the machine's

    def routes(self) -> Sequence[web.RouteDef]:
        return (
            web.post("/media/register", self.register),
            web.post("/media/upload", self.upload),
            web.get("/media/by-path", self.by_path),
            web.get("/media/inspect", self.inspect),
            web.get("/media/{token}", self.fetch),
        )

    async def register(self, request: web.Request) -> web.Response:
        """Offer a file of this machine: for programs of the person on it."""
        text = "/media/register is restricted to localhost callers"
        await self._access.host(request, refusal=web.HTTPForbidden(text=text))
        try:
            body = json_object(await request.read())
            path, declared, name = _registration(body)
        except BadRequest as error:
            return failed(str(error), 400)
        try:
            opened = await self._files.open(path, strict=True)
        except NotGiven as error:
            return failed(str(error), 400)
        except TimeoutError:
            return failed(SLOW, 503)
        os.close(opened.fd)
        try:
            entry = await self._store.offer(
                opened.path,
                size=opened.size,
                content_type=declared,
                file_name=name,
                is_sensitive=is_sensitive(body.get("sensitive")),
            )
        except DatabaseTrouble as error:
            _log.warning("media not registered", error=str(error))
            return failed(NOT_STORED, 503)
        return json_answer({**_told(entry), "sensitive": entry.is_sensitive})

    async def upload(self, request: web.Request) -> web.Response:
        """Take a file of a device; it lives as long as its token."""
        await self._access.device(request, "chat")
        try:
            received = await self._receiver.receive(request)
        except UploadRefused as refused:
            return failed(refused.text, refused.status)
        try:
            entry = await self._store.offer(
                received.upload.name,
                size=received.upload.size,
                content_type=received.declared,
                file_name=received.name,
                is_upload=True,
            )
        except BaseException as error:
            received.upload.drop()
            if not isinstance(error, DatabaseTrouble):
                raise
            _log.warning("upload not stored", error=str(error))
            return failed(NOT_STORED, 503)
        return json_answer(_told(entry))

    async def by_path(self, request: web.Request) -> web.StreamResponse:
        """A file of this machine by its path, inside the sandbox."""
        await self._access.device(request, "chat")
        path = request.query.get("path", "")
        if not path:
            return failed("missing 'path' query parameter", 400)
        try:
            opened = await self._files.open(path, strict=self._strict)
        except NotGiven as error:
            is_missing = error.refused.why in {"missing", "not_regular"}
            raise (web.HTTPNotFound if is_missing else web.HTTPForbidden)(text=str(error)) from None
        except TimeoutError:
            raise web.HTTPServiceUnavailable(text=SLOW) from None
        try:
            name = opened.path.rpartition("/")[2]
            guessed = self._types.guess_type(name)[0]
            return await self._sender.send(
                request,
                opened,
                declared=content_type(request.query.get("content_type")) or guessed or ANY_TYPE,
                name=name,
                is_sensitive=is_sensitive(request.query.get("sensitive")),
            )
        finally:
            os.close(opened.fd)

    async def fetch(self, request: web.Request) -> web.StreamResponse:
        """The file of a token. Whatever is wrong with it, the answer is the same."""
        await self._access.device(request, "chat")
        entry = self._store.find(request.match_info["token"])
        if entry is None:
            raise web.HTTPNotFound(text=UNKNOWN)
        try:
            opened = await self._store.open(entry)
        except NotGiven as error:
            _log.info("offered file is not given any more", why=error.refused.why)
            raise web.HTTPNotFound(text=UNKNOWN) from None
        except TimeoutError:
            raise web.HTTPServiceUnavailable(text=SLOW) from None
        try:
            return await self._sender.send(
                request,
                opened,
                declared=entry.content_type,
                name=entry.file_name,
                is_sensitive=entry.is_sensitive,
            )
        finally:
            os.close(opened.fd)

    async def inspect(self, request: web.Request) -> web.Response:
        """What is offered, without paths: for programs of the person on this machine."""
        await self._access.host(request)
        now_ms = self._clock.now_ms()
        with_expired = request.query.get("include_expired", "").lower() in {"1", "true", "yes"}
        rows = [_row(entry, now_ms) for entry in self._store.entries()]
        return json_answer({"media": [row for row in rows if with_expired or not row["is_expired"]]})


def _registration(body: dict[str, object]) -> tuple[str, str, str | None]:
    path, declared, name = body.get("path"), content_type(body.get("content_type")), body.get("file_name")
    if not isinstance(path, str) or not path:
        raise BadRequest("missing or invalid 'path'")
    if declared is None:
        raise BadRequest("missing or invalid 'content_type'")
    if name is not None and not isinstance(name, str):
        raise BadRequest("invalid 'file_name'")
    return path, declared, clean_line(name, LONGEST_NAME) if name else None


def _told(entry: MediaEntry) -> dict[str, object]:
    return {"ok": True, "token": entry.token, "expires_at": entry.expires_ms / 1000}


def _row(entry: MediaEntry, now_ms: int) -> dict[str, object]:
    return {
        "token": entry.token,
        "file_name": entry.file_name,
        "content_type": entry.content_type,
        "size": entry.size,
        "created_at": entry.created_ms / 1000,
        "expires_at": entry.expires_ms / 1000,
        "last_accessed": entry.accessed_ms / 1000,
        "is_expired": is_expired(entry, now_ms),
    }
