"""To services that the person set up: ntfy, Pushover, Telegram, Slack, mail and the rest, through Apprise.

An extra. An address may lead inside: the person wrote it (``services.py``).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Final

from controlroom.hub.channels.base import SEND_S, Again, Answer, Delivered, Notice, Refused, Target
from controlroom.hub.channels.payload import cut, trimmed

NAME: Final = "apprise"
LONGEST_TEXT: Final = 1000  # characters; some services take less and split it by themselves
_EXTRA: Final = "This needs the extra “apprise”: install apprise beside it."

# Its own log may name addresses with logins in them.
logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)


class Apprise:
    """One way for all services: the address says which."""

    name: Final = NAME
    clears: Final = False

    def __init__(self, *, wait_s: float = SEND_S) -> None:
        self._wait_s = wait_s
        self._made: dict[str, Any] = {}

    async def send(self, target: Target, notice: Notice) -> Answer:
        try:
            service = await asyncio.to_thread(self._service, target)
        except ImportError:
            return Refused(_EXTRA, whole_channel=True)
        except Exception as error:  # noqa: BLE001 - a library that fails to load must not stop the other ways
            return Refused(f"Apprise does not run here ({type(error).__name__}).", whole_channel=True)
        if service is None:
            return Refused(f"The address of {target.name} is none that Apprise knows.")
        notice = trimmed(notice)
        text = cut(notice.body, LONGEST_TEXT)
        kind = "warning" if notice.urgency == "high" else "info"
        try:
            async with asyncio.timeout(self._wait_s):
                is_sent = await service.async_notify(
                    title=notice.title, body=text or notice.title, notify_type=kind, body_format="text"
                )
        except TimeoutError:
            return Again(f"{target.name} did not answer in time.")
        except Exception as error:  # noqa: BLE001 - a hundred services of others; none may stop the rest
            return Again(f"{target.name} cannot be reached ({type(error).__name__}).")
        if not is_sent:  # it does not say why
            return Again(f"{target.name} did not take it.")
        return Delivered(cut=text != notice.body)

    async def clear(self, target: Target, tags: Sequence[str], badge: int) -> Answer:
        return Refused("A service cannot be told to take a notice away.")

    async def aclose(self) -> None:
        self._made.clear()

    def _service(self, target: Target) -> Any:
        import apprise

        if target.id not in self._made:
            asset = apprise.AppriseAsset(
                app_id="Control Room", app_desc="Agent Control Room", async_mode=True
            )
            service = apprise.Apprise(asset=asset)
            self._made[target.id] = service if service.add(target.address) else None
        return self._made[target.id]
