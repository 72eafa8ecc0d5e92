"""Takes the file of a multipart request to the disk, chunk by chunk."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Awaitable
from typing import Final, TypeVar

import structlog
from aiohttp import BodyPartReader, ClientError, MultipartReader, web
from aiohttp.http_exceptions import HttpProcessingError

from controlroom.core.media import ANY_TYPE, LONGEST_NAME, content_type
from controlroom.core.text import clean_line
from controlroom.kit.file_threads import RunsFileWork
from controlroom.kit.upload_folder import Upload, UploadFolder

T = TypeVar("T")

_log = structlog.get_logger("media")

CHUNK: Final = 64 * 1024
MOST_AT_ONCE: Final = 8
MOST_PARTS: Final = 16
MOST_SKIPPED: Final = 1024 * 1024  # bytes of other fields
SLOW_S: Final = 60.0  # a phone that sends nothing for a minute has gone
WHOLE_S: Final = 1800.0  # 100 MiB over a bad mobile link
TOO_MANY: Final = "too many uploads at once"
NO_FORM: Final = "expected multipart/form-data"


class UploadRefused(Exception):
    """The upload is not taken; nothing of it is kept."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class Received:
    """A whole file in the folder, with what the device said of it."""

    def __init__(self, upload: Upload, declared: str, name: str | None) -> None:
        self.upload = upload
        self.declared = declared
        self.name = name


class Receiver:
    """All uploads into one folder; more than ``MOST_AT_ONCE`` at a time are turned away."""

    def __init__(self, files: RunsFileWork, folder: UploadFolder, max_bytes: int) -> None:
        self._files = files
        self._folder = folder
        self._max_bytes = max_bytes
        self._running = 0

    async def receive(self, request: web.Request) -> Received:
        """The part named ``file``. Raises UploadRefused."""
        if request.content_type != "multipart/form-data":
            raise UploadRefused(400, NO_FORM)
        if (request.content_length or 0) > self._max_bytes + MOST_SKIPPED:
            raise self._too_large()
        if self._running >= MOST_AT_ONCE:
            raise UploadRefused(503, TOO_MANY)
        self._running += 1
        try:
            async with asyncio.timeout(WHOLE_S):
                return await self._receive(request)
        except TimeoutError:
            raise UploadRefused(408, "the upload took too long") from None
        except ConnectionError:
            raise
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
                raise UploadRefused(507, "there is no room for this file") from None
            _log.error("uploads cannot be kept", error=str(error))
            raise UploadRefused(503, "the file cannot be kept now") from None
        finally:
            self._running -= 1

    async def _receive(self, request: web.Request) -> Received:
        part = await self._file_part(request)
        upload = await self._files.run(self._folder.begin)
        try:
            await self._copy(part, upload)
            await self._files.run(upload.finish)
        except BaseException:
            upload.drop()
            raise
        return Received(
            upload, content_type(part.headers.get("Content-Type")) or ANY_TYPE, _base_name(part.filename)
        )

    async def _file_part(self, request: web.Request) -> BodyPartReader:
        reader = await _read(request.multipart())
        skipped = 0
        for _ in range(MOST_PARTS):
            part = await _read(reader.next())
            if part is None:
                break
            if isinstance(part, MultipartReader):
                raise UploadRefused(400, NO_FORM)
            if part.name == "file":
                return part
            while chunk := await _read(part.read_chunk(CHUNK)):
                skipped += len(chunk)
                if skipped > MOST_SKIPPED:
                    raise self._too_large()
        raise UploadRefused(400, "missing 'file' multipart field")

    async def _copy(self, part: BodyPartReader, upload: Upload) -> None:
        while chunk := await _read(part.read_chunk(CHUNK)):
            if upload.size + len(chunk) > self._max_bytes:
                raise self._too_large()
            data = bytes(chunk)
            await self._files.run(lambda: upload.write(data))  # noqa: B023 - awaited at once

    def _too_large(self) -> UploadRefused:
        return UploadRefused(413, f"upload too large (max {self._max_bytes} bytes)")


async def _read(reading: Awaitable[T]) -> T:
    """Wait for the next piece of the body. Raises UploadRefused for what is no form, TimeoutError, and
    ConnectionResetError when the device has gone."""
    try:
        async with asyncio.timeout(SLOW_S):
            return await reading
    except ClientError as error:
        raise ConnectionResetError("the upload broke off") from error
    except (ValueError, AssertionError, LookupError, HttpProcessingError, web.HTTPException):
        raise UploadRefused(400, NO_FORM) from None  # all that aiohttp's parser says of broken forms


def _base_name(said: str | None) -> str | None:
    """The name without folders, of whatever system."""
    name = clean_line((said or "").replace("\\", "/").rpartition("/")[2], LONGEST_NAME)
    return name or None
