"""A relay door with media, a workspace folder, and a paired phone."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import aiohttp

from controlroom.gateway.channels import Part
from controlroom.gateway.media.part import MediaPart
from controlroom.hub.store.media_rows import StoredMedia
from controlroom.kit.clock import Clock, FakeClock
from controlroom.kit.settings import Media
from tests.support.relay_door import RelayDoor

PNG = b"\x89PNG\r\n\x1a\nrest of the picture"


class Answer:
    """One answer, read to its end."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class MediaDoor:
    """``work`` is the workspace, an allowed root; ``user`` a home with secrets in it; ``outside`` neither."""

    def __init__(self, tmp_path: Path, settings: Media | None = None, clock: Clock | None = None) -> None:
        base = tmp_path.resolve()
        self.work, self.user, self.outside = base / "work", base / "user", base / "outside"
        for folder in (self.work, self.user, self.outside):
            folder.mkdir()
        self.settings = settings or Media()
        self.door = RelayDoor(base, parts=self._parts, clock=clock or FakeClock())
        self.token = ""
        self.media: MediaPart

    def _parts(self) -> list[Part]:
        self.media = MediaPart(
            rows=StoredMedia(self.door.store),
            settings=self.settings,
            home=self.door.home,
            user_home=self.user,
            environ={"HERMES_WORKSPACE": str(self.work)},
            clock=self.door.clock,
            health=self.door.health,
        )
        return [self.media]

    async def start(self) -> None:
        await self.door.start()
        self.token = await self.pair()

    async def pair(self, **policy: Any) -> str:
        _, answer = await self.door.paired(device_id="", **policy)
        token: str = answer["session_token"]
        return token

    async def call(
        self, method: str, path: str, *, token: str | None = None, host: bool = False, **kwargs: Any
    ) -> Answer:
        """As the phone, from another address; ``host``: as a program of this machine that has the secret."""
        headers = dict(kwargs.pop("headers", {}))
        if host:
            headers |= self.door.secret
        elif token != "":
            headers["Authorization"] = f"Bearer {token or self.token}"
        session = self.door.session("127.0.0.1" if host else "127.0.0.2")
        async with session.request(
            method, path, headers=headers, timeout=aiohttp.ClientTimeout(30), **kwargs
        ) as answer:
            return Answer(answer.status, dict(answer.headers), await answer.read())

    async def by_path(self, path: Path | str, **kwargs: Any) -> Answer:
        params = {"path": str(path), **kwargs.pop("params", {})}
        return await self.call("GET", "/media/by-path", params=params, **kwargs)

    async def register(self, path: Path | str, **more: Any) -> Answer:
        body = {"path": str(path), "content_type": "text/plain", **more}
        return await self.call("POST", "/media/register", host=True, json=body)

    async def upload(
        self, data: bytes, name: str = "s.png", type_: str = "image/png", **kwargs: Any
    ) -> Answer:
        form = aiohttp.FormData(quote_fields=False)
        form.add_field("other", "x")
        form.add_field("file", io.BytesIO(data), filename=name, content_type=type_)
        return await self.call("POST", "/media/upload", data=form, **kwargs)

    @property
    def uploads(self) -> list[str]:
        return sorted(path.name for path in (self.door.home.path / "media").iterdir())
