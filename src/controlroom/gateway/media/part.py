"""Media as a part of the relay door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from aiohttp import web

from controlroom.core.media import Limits
from controlroom.gateway.access import Access
from controlroom.gateway.channels import Channel
from controlroom.gateway.media.files import Files
from controlroom.gateway.media.routes import MediaRoutes
from controlroom.gateway.media.sandbox import Places
from controlroom.gateway.media.store import MediaStore
from controlroom.gateway.ports import MediaRows
from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.receiving import Receiver
from controlroom.kit.sending import Sender
from controlroom.kit.settings import Media
from controlroom.kit.supervise import Tasks
from controlroom.kit.upload_folder import UploadFolder


class MediaPart:
    """Offers of files, uploads, and files by path. ``environ``: where a Hermes host keeps its things."""

    capabilities: Final[Sequence[str]] = ("media",)

    def __init__(
        self,
        *,
        rows: MediaRows,
        settings: Media,
        home: Home,
        user_home: Path,
        environ: Mapping[str, str],
        clock: Clock,
        health: HealthBoard,
    ) -> None:
        places = Places(data=home.path, roots=settings.roots, user_home=user_home, environ=environ)
        folder = UploadFolder(home.path / "media")
        self._strict = settings.strict
        self._clock = clock
        self._health = health
        self._files = Files(places, settings.max_bytes)
        self._sender = Sender(self._files)
        self._receiver = Receiver(self._files, folder, min(settings.max_bytes, settings.uploads_bytes))
        self._tasks = Tasks("media")
        self.store = MediaStore(
            rows=rows,
            files=self._files,
            folder=folder,
            limits=Limits(entries=settings.entries, uploads=settings.uploads_bytes),
            ttl_s=settings.ttl_s,
            clock=clock,
        )

    def channels(self) -> Sequence[Channel]:
        return ()

    def routes(self, access: Access) -> Sequence[web.RouteDef]:
        return MediaRoutes(
            access=access,
            store=self.store,
            files=self._files,
            sender=self._sender,
            receiver=self._receiver,
            strict=self._strict,
            clock=self._clock,
        ).routes()

    def numbers(self) -> Mapping[str, int]:
        return {"media_entry_count": len(self.store)}

    async def start(self) -> None:
        await self.store.start()
        self._tasks.supervise("sweep", self.store.run, self._health)

    async def aclose(self) -> None:
        await self._tasks.aclose()
        await self.store.aclose()
        self._files.close()
