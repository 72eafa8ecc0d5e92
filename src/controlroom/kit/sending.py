"""Sends an open file as a response: safe headers, ranges, and never a byte of another file."""

from __future__ import annotations

import asyncio
from email.utils import formatdate
from typing import Final

from aiohttp import web

from controlroom.core.media import SAFE_HEADERS, SNIFF_BYTES, Span, byte_range, sent_as
from controlroom.kit.file_threads import RunsFileWork
from controlroom.kit.files import OpenFile, read_at

CHUNK: Final = 256 * 1024
SLOW_S: Final = 60.0  # a phone that takes nothing for a minute has gone; its file must not stay open
MOST_AT_ONCE: Final = 64


class Sender:
    """All downloads of one part; more than ``MOST_AT_ONCE`` at a time are turned away."""

    def __init__(self, files: RunsFileWork) -> None:
        self._files = files
        self._running = 0

    async def send(
        self,
        request: web.Request,
        opened: OpenFile,
        *,
        declared: str,
        name: str | None,
        is_sensitive: bool = False,
    ) -> web.StreamResponse:
        """Answer with the file; the caller closes it. A file that became shorter ends the connection."""
        if self._running >= MOST_AT_ONCE:
            raise web.HTTPServiceUnavailable(
                text="too many downloads at once", headers={"Retry-After": "5", "Cache-Control": "no-store"}
            )
        self._running += 1
        try:
            return await self._send(request, opened, declared, name, is_sensitive)
        finally:
            self._running -= 1

    async def _send(
        self, request: web.Request, opened: OpenFile, declared: str, name: str | None, is_sensitive: bool
    ) -> web.StreamResponse:
        head = await self._files.run(lambda: read_at(opened.fd, 0, SNIFF_BYTES))
        modified = formatdate(opened.modified_ns / 1e9, usegmt=True)
        headers = {
            **SAFE_HEADERS,
            **sent_as(head, declared, name),
            "Accept-Ranges": "bytes",
            "Last-Modified": modified,
            **({"X-Media-Sensitive": "1"} if is_sensitive else {}),
        }
        wanted = request.headers.get("Range", "")
        if "If-Range" in request.headers and request.headers["If-Range"] != modified:
            wanted = ""
        span = byte_range(wanted, opened.size)
        if span == "unsatisfiable":
            raise web.HTTPRequestRangeNotSatisfiable(headers={"Content-Range": f"bytes */{opened.size}"})
        if not isinstance(span, Span):
            response, span = web.StreamResponse(headers=headers), Span(0, opened.size)
        else:
            headers["Content-Range"] = f"bytes {span.start}-{span.start + span.length - 1}/{opened.size}"
            response = web.StreamResponse(status=206, headers=headers)
        response.content_length = span.length
        await response.prepare(request)
        if request.method != "HEAD":
            await self._copy(request, response, opened.fd, span)
        await response.write_eof()
        return response

    async def _copy(self, request: web.Request, response: web.StreamResponse, fd: int, span: Span) -> None:
        position, left = span
        while left:
            here, most = position, min(CHUNK, left)
            chunk = await self._files.run(lambda: read_at(fd, here, most))  # noqa: B023 - awaited at once
            if not chunk:
                _abort(request)
                raise ConnectionResetError("the file became shorter while it was sent")
            try:
                async with asyncio.timeout(SLOW_S):
                    await response.write(chunk)
            except TimeoutError:
                _abort(request)
                raise ConnectionResetError("the device took nothing") from None
            position += len(chunk)
            left -= len(chunk)


def _abort(request: web.Request) -> None:
    """End the connection: what was promised cannot be sent, and the device must not take it for whole."""
    if request.transport is not None:
        request.transport.abort()
