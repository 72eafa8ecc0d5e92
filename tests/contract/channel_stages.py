"""Each channel with the other side it speaks to, on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controlroom.hub.channels.base import Channel, Target
from controlroom.hub.channels.vapid import Vapid
from controlroom.hub.channels.webpush import WebPush
from controlroom.kit.clock import FakeClock
from tests.support.push_service import push_service

NOW_MS = 1_796_000_000_000
NOW_TEXT = "Mon, 30 Nov 2026 00:53:20 GMT"
WAIT_S = 2.0  # for a channel whose other side hangs on purpose


@dataclass
class Stage:
    """``says`` makes the other side answer the next request with that status and these headers.

    ``heard``: title, body and id of each notice that arrived. ``longest``: bytes, None when it splits texts.
    """

    channel: Channel
    target: Target
    secret: str
    says: Callable[[int, dict[str, str]], None]
    ended: Callable[[], None]
    hang: Callable[[], None]
    away: Callable[[], Target]
    heard: Callable[[], list[dict[str, Any]]]


Make = Callable[[Path], AbstractAsyncContextManager[Stage]]


@asynccontextmanager
async def webpush(folder: Path) -> AsyncIterator[Stage]:
    vapid = Vapid.in_folder(folder)
    async with push_service() as service:
        channel = WebPush(lambda: vapid, FakeClock(NOW_MS), allow_private=True, wait_s=WAIT_S)
        target = Target(
            id="sub_1",
            channel="webpush",
            device_id="dev_1",
            address=service.endpoint,
            keys={**service.receiver.keys, "vapid": vapid.public},
        )

        def hang() -> None:
            service.hangs = True

        yield Stage(
            channel=channel,
            target=target,
            secret="a-secret-of-the-browser",
            says=lambda status, headers: service.answers.append((status, headers)),
            ended=lambda: service.answers.append((410, {})),
            hang=hang,
            away=lambda: Target(
                id="sub_2",
                channel="webpush",
                device_id="dev_1",
                address="http://127.0.0.1:9/push/a-secret-of-the-browser",
                keys=target.keys,
            ),
            heard=lambda: service.heard,
        )
        await channel.aclose()


STAGES: dict[str, Make] = {"webpush": webpush}
