"""Which files are offered, under which tokens; kept over a restart.

The truth is in memory while the service runs, the least recently used first. A new offer is stored before its
token is told. What is dropped is gone from memory at once, then from the store, then its uploaded file is
removed; a crash in between leaves a file that no entry names, and the next start removes it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Final

import structlog
from msgspec.structs import replace

from controlroom.core.media import Limits, MediaEntry, is_expired, to_drop
from controlroom.gateway.media.files import Files
from controlroom.gateway.ports import MediaRows
from controlroom.kit.clock import Clock
from controlroom.kit.files import OpenFile
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.upload_folder import UploadFolder

_log = structlog.get_logger("media")
ROUND_S: Final = 30.0  # how long an expired upload may still lie on the disk


class MediaStore:
    """Offers of files."""

    def __init__(
        self,
        *,
        rows: MediaRows,
        files: Files,
        folder: UploadFolder,
        limits: Limits,
        ttl_s: float,
        clock: Clock,
        token: Callable[[], str] = lambda: secrets.token_urlsafe(16),
    ) -> None:
        self._rows = rows
        self._files = files
        self._folder = folder
        self._limits = limits
        self._ttl_ms = int(ttl_s * 1000)
        self._clock = clock
        self._token = token
        self._entries: dict[str, MediaEntry] = {}
        self._touched: set[str] = set()
        self._dropped: dict[str, MediaEntry] = {}  # not yet forgotten by the store

    async def start(self) -> None:
        """Read what was offered before, drop what is over, and tidy the folder.

        Trouble is logged: then nothing old is offered, and nothing that may still be wanted is removed.
        """
        try:
            self._entries = {entry.token: entry for entry in await self._rows.all()}
            known = {entry.path for entry in self._entries.values() if entry.is_upload}
            await self._files.run(lambda: self._folder.prepare(known))
        except (DatabaseTrouble, OSError, TimeoutError) as error:
            _log.error("media of the last run cannot be read", error=str(error))
        await self.sweep()

    async def run(self) -> None:
        """Sweep now and then, for ever."""
        while True:
            await asyncio.sleep(ROUND_S)
            await self.sweep()

    async def aclose(self) -> None:
        try:
            await self._store_touched()
        except DatabaseTrouble as error:
            _log.warning("last uses of media were not stored", error=str(error))

    def __len__(self) -> int:
        return len(self._entries)

    def entries(self) -> list[MediaEntry]:
        """What is offered, newest first; expired ones until the next sweep."""
        return sorted(self._entries.values(), key=lambda entry: -entry.created_ms)

    async def offer(
        self,
        path: str,
        *,
        size: int,
        content_type: str,
        file_name: str | None,
        is_sensitive: bool = False,
        is_upload: bool = False,
    ) -> MediaEntry:
        """Offer a file that was checked. Raises DatabaseTrouble; then nothing is offered."""
        now_ms = self._clock.now_ms()
        entry = MediaEntry(
            token=self._token(),
            path=path,
            content_type=content_type,
            file_name=file_name,
            size=size,
            is_sensitive=is_sensitive,
            is_upload=is_upload,
            created_ms=now_ms,
            expires_ms=now_ms + self._ttl_ms,
            accessed_ms=now_ms,
        )
        await self._rows.put([entry])
        self._entries[entry.token] = entry
        await self.sweep()
        return entry

    def find(self, token: str) -> MediaEntry | None:
        """The living offer of a token; it counts as used now."""
        entry = self._entries.get(token)
        now_ms = self._clock.now_ms()
        if entry is None:
            return None
        if is_expired(entry, now_ms):  # nobody is told of it any more; the next sweep does the rest
            self._forget([one for one in self._entries.values() if is_expired(one, now_ms)])
            return None
        entry = replace(entry, accessed_ms=now_ms)
        del self._entries[token]
        self._entries[token] = entry  # the most recently used stands last
        self._touched.add(token)
        return entry

    async def open(self, entry: MediaEntry) -> OpenFile:
        """Open the file of an offer, checked again as it lies now. Raises NotGiven, TimeoutError."""
        if entry.is_upload:
            return await self._files.open_own(self._folder.path(entry.path))
        return await self._files.open(entry.path, strict=True)

    async def sweep(self) -> None:
        """Drop what is over or too much, and store what was used. Trouble is logged; the next one retries."""
        try:
            await self._drop(to_drop(list(self._entries.values()), self._clock.now_ms(), self._limits))
            await self._store_touched()
        except (DatabaseTrouble, OSError, TimeoutError) as error:
            _log.warning("media were not swept", error=str(error))

    def _forget(self, entries: list[MediaEntry]) -> None:
        for entry in entries:
            self._entries.pop(entry.token, None)
            self._dropped[entry.token] = entry

    async def _drop(self, entries: list[MediaEntry]) -> None:
        self._forget(entries)
        dropped = list(self._dropped.values())
        if not dropped:
            return
        await self._rows.delete([entry.token for entry in dropped])
        uploads = [entry.path for entry in dropped if entry.is_upload]
        await self._files.run(lambda: self._folder.remove(uploads))
        for entry in dropped:
            self._dropped.pop(entry.token, None)

    async def _store_touched(self) -> None:
        touched = {token for token in self._touched if token in self._entries}
        self._touched = set()
        try:
            if touched:
                await self._rows.put([self._entries[token] for token in touched])
        except DatabaseTrouble:
            self._touched |= touched
            raise
