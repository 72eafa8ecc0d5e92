"""Files that people send for agents: taken to the disk piece by piece, kept until a message names them.

A file lies in the data folder under its id, readable for its owner alone. It is stored as a row only when it
is whole and on the disk; what no row names is removed at the next start. A file that no message named is
removed after a day, one that was sent after thirty: the row stays, so that a chat can still name it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Collection
from pathlib import Path
from typing import Final

import msgspec
import structlog
from aiohttp import web

from controlroom.core.attachments import MOST, safe_name, size_text, type_of
from controlroom.hub.errors import HubError
from controlroom.hub.store import request_rows, upload_rows
from controlroom.hub.store.store import Change, Store
from controlroom.hub.store.upload_rows import UploadRow
from controlroom.kit.disk import too_little
from controlroom.kit.file_threads import FileThreads
from controlroom.kit.files import NotRegular, OpenFile, open_regular, read_at
from controlroom.kit.receiving import MOST_SKIPPED, TOO_MANY, Received, Receiver, UploadRefused
from controlroom.kit.sending import Sender
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.kit.upload_folder import UploadFolder
from controlroom.wire.client import UploadLimits
from controlroom.wire.model import Attachment

_log = structlog.get_logger("uploads")

UNUSED_MS: Final = 24 * 3600 * 1000
USED_MS: Final = 30 * 24 * 3600 * 1000
UNUSED_FACTOR: Final = 40  # so many of the largest files may lie here unused: 1 GB with the usual limit
SWEEP_S: Final = 600.0
PIECE: Final = 256 * 1024  # bytes that travel to a node at a time
FULL: Final = "The disk of the control room is full: nothing was kept of this file. Make room and try again."


class Uploads:
    """All uploads of the hub."""

    def __init__(self, store: Store, folder: Path, upload_bytes: int, message_bytes: int) -> None:
        self._store = store
        self._path = folder
        self._folder = UploadFolder(folder)
        self._threads = FileThreads("uploads")
        self._upload_bytes = upload_bytes
        self._message_bytes = message_bytes
        self._receiver = Receiver(self._threads, self._folder, upload_bytes)
        self._sender = Sender(self._threads)
        self._tasks = Tasks("uploads")

    async def start(self) -> None:
        """Tidy the folder. Trouble is logged: then nothing new can be taken, and the rest of the hub runs."""
        try:
            known = await self._store.read(upload_rows.kept_ids)
            await self._threads.run(lambda: self._folder.prepare(known))
        except (OSError, TimeoutError) as error:
            _log.error("uploads of the last run cannot be read", error=str(error))
        self._tasks.start("sweep", self._sweep_for_ever())

    async def aclose(self) -> None:
        await self._tasks.aclose()
        self._threads.close()

    def limits(self) -> UploadLimits:
        """What is told before anything is uploaded."""
        return UploadLimits(
            upload_bytes=self._upload_bytes, most=MOST, unused_ms=UNUSED_MS, message_bytes=self._message_bytes
        )

    # ---- taking and giving -----------------------------------------------------------------------------

    async def take(self, request: web.Request, by: str) -> Attachment:
        """The part named ``file`` of a form. Raises HubError: bad_request, too_large, too_many, failed."""
        await self._check_room(request.content_length or 0)
        try:
            received = await self._receiver.receive(request)
        except UploadRefused as error:
            raise self._explained(error) from None
        row = self._row(received, by)

        def job(change: Change) -> None:
            upload_rows.add_upload(change, msgspec.structs.replace(row, created_ms=change.now_ms))
            request_rows.add_receipt(
                change, by=by, what="upload", code="ok", text=f"Uploaded {row.name} ({size_text(row.bytes)})."
            )

        try:
            await self._store.change(job)
        except BaseException:
            received.upload.drop()
            raise
        return row.attachment

    async def _check_room(self, wanted: int) -> None:
        try:
            problem = await self._threads.run(lambda: too_little(self._path))
        except (OSError, TimeoutError):
            problem = "The folder for uploads cannot be read."
        if problem:
            raise HubError("failed", f"{problem} The file was not taken.")
        if wanted > self._upload_bytes + MOST_SKIPPED:
            raise self._too_large()
        lies = await self._store.read(upload_rows.unused_bytes)
        if lies + wanted > self._upload_bytes * UNUSED_FACTOR:
            raise HubError("too_many", "Too much was uploaded and not sent. It goes after a day.")

    def _row(self, received: Received, by: str) -> UploadRow:
        upload = received.upload
        return UploadRow(
            id=upload.name,
            by=by,
            name=safe_name(received.name),
            bytes=upload.size,
            type=type_of(upload.head),
            sha256=upload.sha256,
            created_ms=0,
        )

    def _too_large(self) -> HubError:
        return HubError("too_large", f"A file may have at most {size_text(self._upload_bytes)}.")

    def _explained(self, error: UploadRefused) -> HubError:
        match error.status:
            case 413:
                return self._too_large()
            case 503 if error.text == TOO_MANY:
                return HubError("too_many", "Too many files come right now. Try again in a moment.", 5000)
            case 503:
                return HubError("failed", "The file cannot be kept now. Try again.")
            case 507:
                return HubError("failed", FULL)
            case 408:
                return HubError("bad_request", "The upload took too long. Try again.")
        return HubError("bad_request", "file: a form (multipart/form-data) with one file is wanted.")

    async def give(self, request: web.Request, upload_id: str) -> web.StreamResponse:
        """The bytes of an upload, as something that runs nowhere. Raises HubError ``not_found``."""
        row = (await self._store.read(lambda c: upload_rows.upload_rows(c, [upload_id]))).get(upload_id)
        if row is None:
            raise HubError("not_found", "There is no such upload.")
        opened = await self._open(row)
        try:
            return await self._sender.send(request, opened, declared=row.type, name=row.name)
        finally:
            os.close(opened.fd)

    async def _open(self, row: UploadRow) -> OpenFile:
        if not row.is_kept:
            raise HubError("not_found", f"{row.name} is not kept any more: files go after 30 days.")
        try:
            return await self._threads.run(lambda: open_regular(self._folder.path(row.id)), _close)
        except (OSError, NotRegular):
            raise HubError("not_found", f"{row.name} cannot be found any more.") from None
        except TimeoutError:
            raise HubError("failed", "The disk does not answer. Try again.") from None

    # ---- messages --------------------------------------------------------------------------------------

    async def row(self, upload_id: str) -> UploadRow:
        """Raises HubError ``not_found``."""
        row = (await self._store.read(lambda c: upload_rows.upload_rows(c, [upload_id]))).get(upload_id)
        if row is None:
            raise HubError("not_found", "An attached file is not here any more.")
        return row

    async def pieces(self, row: UploadRow) -> AsyncGenerator[bytes]:
        """The bytes of an upload, in pieces of at most ``PIECE``. Raises HubError ``not_found``, OSError."""
        opened = await self._open(row)
        try:
            at = 0
            while at < opened.size:
                start = at
                piece = await self._threads.run(lambda: read_at(opened.fd, start, PIECE))  # noqa: B023 - awaited
                if not piece:
                    return
                yield piece
                at += len(piece)
        finally:
            os.close(opened.fd)

    # ---- tidying ---------------------------------------------------------------------------------------

    async def _sweep_for_ever(self) -> None:
        while True:
            await self.sweep()
            await asyncio.sleep(SWEEP_S)

    async def sweep(self) -> None:
        """Remove what nobody sent within a day, and what was sent a month ago."""

        def job(change: Change) -> Collection[str]:
            return upload_rows.let_go(change, change.now_ms - UNUSED_MS, change.now_ms - USED_MS)

        try:
            ids = await self._store.change(job)
            if ids:
                await self._threads.run(lambda: self._folder.remove(ids))
        except (
            DatabaseTrouble,
            OSError,
            TimeoutError,
        ) as error:
            _log.warning("uploads were not swept", error=str(error))


def _close(opened: OpenFile) -> None:
    with contextlib.suppress(OSError):
        os.close(opened.fd)
