"""A paired browser with a passkey of its own, under a name that passkeys may have."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import Answer, Door, open_door
from tests.support.authenticator import Authenticator


class Browser:
    """A paired browser with an authenticator of its own."""

    def __init__(self, door: Door, headers: dict[str, str], authenticator: Authenticator) -> None:
        self.door = door
        self.headers = headers
        self.authenticator = authenticator
        self.id = ""

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        return await self.door.ask(method, path, body, {**self.headers, **headers})

    async def ok(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.ask(method, path, body)
        assert answer.status == 200, answer.body
        return answer.body

    async def register(self) -> Any:
        options = (await self.ok("POST", "/unlock/register/options"))["options"]
        made = self.authenticator.create(options)
        return await self.ok("POST", "/unlock/register", {"credential": made, "name": "This\x1bphone"})

    async def lock(self, **wish: Any) -> Any:
        return await self.ok("PATCH", f"/devices/{self.id}", {"lock": wish})

    async def options(self) -> Any:
        return await self.ok("POST", "/unlock/options")

    async def unlock(self) -> Any:
        signed = self.authenticator.get((await self.options())["options"])
        return await self.ok("POST", "/unlock", {"credential": signed})

    async def is_locked(self) -> bool:
        answer = await self.ask("GET", "/fleet")
        assert answer.status in (200, 403), answer.body
        assert answer.status == 200 or answer.code == "locked"
        return answer.status == 403


def later(house: House, seconds: int) -> None:
    now_ms = house.clock.now_ms
    house.clock.now_ms = lambda: now_ms() + seconds * 1000  # type: ignore[method-assign] # the clock moves on


@contextlib.asynccontextmanager
async def named_door(house: House) -> AsyncIterator[Door]:
    """A door at ``localhost``: browsers allow no passkeys at a number."""
    async with open_door(house) as door:
        door.origin = door.origin.replace("127.0.0.1", "localhost")
        yield door


async def paired(door: Door) -> Browser:
    browser = Browser(door, await door.browser(), Authenticator(door.origin))
    browser.id = (await browser.ok("GET", "/devices"))["current"]
    return browser
