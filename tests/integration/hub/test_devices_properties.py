"""Whatever happens in whatever order: no dead secret opens, no right grows, file and memory agree."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from controlroom.wire.device import Device, DeviceHello, PairingPolicy
from tests.integration.hub.test_devices import Desk

CLIENTS = ("a", "b")
steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["pair", "refresh", "refresh old", "use", "reduce", "revoke", "wait", "jump back", "restart"]
        ),
        st.sampled_from(CLIENTS),
        st.sampled_from([0, 30, 90, 4000]),
    ),
    max_size=14,
)


class Model:
    """What must hold of one client: its living secrets, the dead ones, and the most it may ever have."""

    def __init__(self) -> None:
        self.token: str | None = None
        self.refresh: str | None = None
        self.old_refresh: str | None = None
        self.dead: list[str] = []
        self.most: Device | None = None

    def end(self) -> None:
        self.dead += [self.token] if self.token else []
        self.token = self.refresh = self.old_refresh = self.most = None


def rank(expiry: int | None) -> float:
    return float("inf") if expiry is None else expiry


async def play(desk: Desk, model: Model, what: str, who: DeviceHello, seconds: int) -> None:
    book = desk.book
    match what:
        case "pair":
            issued = await desk.pair(who, PairingPolicy(ttl_s=seconds))
            model.end()
            model.token, model.refresh, model.most = issued.token, issued.refresh_token, issued.device
        case "refresh" | "refresh old":
            shown = model.refresh if what == "refresh" else model.old_refresh
            issued_again = await book.refresh(shown, who) if shown else None
            if issued_again is not None:
                assert model.token
                model.dead.append(model.token)
                model.token, model.old_refresh = issued_again.token, shown
                model.refresh = issued_again.refresh_token
        case "use":
            if model.token and await book.by_token(model.token) and model.old_refresh:
                assert await book.refresh(model.old_refresh, who) is None
        case "reduce":
            device = await book.by_token(model.token) if model.token else None
            if device is not None and device.expires_ms is not None:
                less = {"chat": device.expires_ms - 1}
                model.most = await book.reduce(device, expires_ms=device.expires_ms - 1, grants=less)
        case "revoke":
            device = await book.by_token(model.token) if model.token else None
            if device is not None:
                await book.revoke(device, "host")
                assert model.refresh and await book.refresh(model.refresh, who) is None
                model.end()
        case "wait":
            desk.clock.advance(seconds)
            await book.round()
        case "jump back":
            desk.clock.advance(-seconds)
        case "restart":
            before = {device.id for device in await book.all()}
            await desk.restart()
            assert {device.id for device in await desk.book.all()} == before


async def check(desk: Desk, model: Model) -> None:
    for token in model.dead:
        assert await desk.book.by_token(token) is None
    if model.token is None or model.most is None:
        return
    device = await desk.book.by_token(model.token)
    is_over = model.most.expires_ms is not None and desk.clock.at_ms > model.most.expires_ms
    assert (device is None) == is_over
    if device is not None:
        assert device.id == model.most.id
        assert rank(device.expires_ms) <= rank(model.most.expires_ms)
        assert set(device.grants) <= set(model.most.grants)
        for right, expiry in device.grants.items():
            assert rank(expiry) <= rank(model.most.grants[right])


async def run(course: list[tuple[str, str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder) / "hub.sqlite")
        await desk.open()
        models = {name: Model() for name in CLIENTS}
        for what, name, seconds in course:
            who = DeviceHello(kind="relay", name=name, device_id=f"device-{name}")
            await play(desk, models[name], what, who, seconds)
            if what != "refresh":  # a check uses the token, and that ends the grace
                for model in models.values():
                    await check(desk, model)
        await desk.close()


@settings(max_examples=40)
@given(steps)
def test_no_order_of_events_gives_more_than_was_granted(course: list[tuple[str, str, int]]) -> None:
    asyncio.run(run(course))
