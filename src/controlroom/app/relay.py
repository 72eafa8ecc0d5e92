"""The relay door of one hub, put together from its parts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from controlroom.app.panes import HubPanes
from controlroom.core.invite import Reach
from controlroom.core.limiter import Limiter
from controlroom.gateway.gateway import Gateway
from controlroom.gateway.media.part import MediaPart
from controlroom.gateway.placeholders import Placeholders
from controlroom.gateway.proactive import ProactivePart
from controlroom.gateway.profiles.part import ProfilesPart
from controlroom.gateway.terminal.part import Terminals
from controlroom.hub.hub import Hub
from controlroom.hub.store.media_rows import StoredMedia
from controlroom.hub.store.store import Store
from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.settings import Settings


def make_terminals(hub: Hub, home: Home) -> Terminals:
    """The shells of this machine, for the relay's devices and for browsers."""
    return Terminals(home=home, environment=os.environ, panes=HubPanes(hub.fleet, hub.mirror, hub.acts))


def make_relay(
    *,
    hub: Hub,
    store: Store,
    terminals: Terminals,
    reach: Callable[[], Reach],
    settings: Settings,
    home: Home,
    limiter: Limiter,
    clock: Clock,
    health: HealthBoard,
) -> Gateway:
    """The gateway over a hub that has started."""
    media = MediaPart(
        rows=StoredMedia(store),
        settings=settings.media,
        home=home,
        user_home=Path.home(),
        environ=os.environ,
        clock=clock,
        health=health,
    )
    profiles = ProfilesPart(
        environ=os.environ,
        user_home=Path.home(),
        clock=clock,
        health=health,
        push=lambda channel, type_, payload, right: gateway.push(channel, type_, payload, right),
    )
    gateway = Gateway(
        devices=hub.devices,
        parts=[
            terminals,
            media,
            profiles,
            ProactivePart(hub.ways.phones, clock),
            Placeholders(),
        ],
        profiles=profiles,
        reach=reach,
        settings=settings.door,
        home=home,
        clock=clock,
        health=health,
        limiter=limiter,
    )
    return gateway
