"""A glance gives the facts of the last look, and only while a whole look would give the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from controlroom.core.facts import AgentFacts
from controlroom.node.agents.base import Sighting
from controlroom.node.agents.claude.client import ClaudeDriver
from tests.unit.node.agents.claude.desk import NATIVE, NOW_MS, SESSION, Desk, process
from tests.unit.node.agents.claude.samples import placed


def end_of(name: str, part: bytes) -> int:
    """The offset behind the first row of a recording that holds ``part``."""
    return next(place.end for place, _ in placed(name) if part in place.data)


class Room:
    def __init__(self, home: Path) -> None:
        self.desk = Desk(home)
        self.driver = ClaudeDriver(self.desk)
        self.desk.claude()
        self.desk.register()
        self.path = self.desk.record("plain-chat")

    async def who(self) -> Sighting:
        (found,) = (await self.driver.find()).sightings
        return found

    async def facts(self) -> AgentFacts:
        return await self.driver.facts(await self.who())

    async def glance(self) -> AgentFacts | None:
        return self.driver.glance(await self.who())

    def append(self, line: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(line)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


async def test_an_agent_that_was_never_looked_at_has_no_glance(room: Room) -> None:
    assert await room.glance() is None


async def test_what_did_not_change_is_read_anew(room: Room) -> None:
    facts = await room.facts()
    room.desk.at_ms += 1_000
    glance = await room.glance()
    assert glance == msgspec.structs.replace(facts, read_at_ms=NOW_MS + 1_000)
    assert glance == await room.facts()


CHANGES: dict[str, Callable[[Room], object]] = {
    "its registry": lambda room: room.desk.register(status="busy", statusUpdatedAt=NOW_MS),
    "its session": lambda room: room.desk.register(sessionId="0" * 8),
    "its transcript": lambda room: room.append(b"{}\n"),
    "its transcript is gone": lambda room: room.path.unlink(),
    "its screen": lambda room: room.desk.show("80x24-permission-bash"),
    "its screen cannot be read from the cache": lambda room: room.desk.screens.clear(),
    "its process ended": lambda room: room.desk.machine.known.pop(20),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_any_change_asks_for_a_whole_look(room: Room, change: Callable[[Room], object]) -> None:
    await room.facts()
    who = await room.who()
    change(room)
    assert room.driver.glance(who) is None


async def test_what_another_reader_has_read_is_a_change_too(room: Room) -> None:
    await room.facts()
    who = await room.who()
    room.append(b"{}\n")
    session = await room.driver._book.look(str(room.desk.profile), SESSION, who.folder)
    assert session is not None and session.is_unchanged()
    assert room.driver.glance(who) is None


async def test_a_dialog_is_looked_at_whole(room: Room) -> None:
    """It is shown later than drawn, so time decides."""
    room.desk.show("80x24-permission-bash")
    await room.facts()
    assert await room.glance() is None


async def test_a_turn_that_runs_is_looked_at_whole(room: Room) -> None:
    """It is taken for interrupted after a while at the prompt."""
    room.desk.record("plain-chat", until=end_of("plain-chat", b'"promptSource"'))
    room.desk.machine.add(process(20, 19, NATIVE, NATIVE, at_ms=0))
    facts = await room.facts()
    assert facts.turn is not None and facts.turn.value == "open"
    assert await room.glance() is None
