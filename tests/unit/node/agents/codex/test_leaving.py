"""How Codex is asked to end at its screen: which keys, and when none."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.kit.supervise import Tasks
from controlroom.node.agents.codex.evidence import Looker
from controlroom.node.agents.codex.finding import Finder
from controlroom.node.agents.codex.leaving import leave
from controlroom.node.agents.codex.typed import TypedCodex
from tests.unit.node.agents.codex.desk import Room, ScriptedCodex, process

QUIT = ["paste:/quit", "Enter"]


class Leaver(ScriptedCodex):
    """It ends on ``/quit``, Escape ends its turn, Ctrl-C clears a draft and else ends it too."""

    hears_escape = True

    def react(self, typed: str) -> None:
        if typed == "Escape":
            self.desk.react = self.react
            if not self.hears_escape:
                return
            self.title = "sow | plants80"
        elif typed == "Enter" and self.draft == "/quit":
            self.desk.end()
            self.desk.show("no-daemon-after-quit-80x24")
            return
        elif typed == "C-c" and self.draft:
            self.draft = ""
            self.draw()
            return
        super().react(typed)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


@pytest.fixture
def codex(room: Room) -> Leaver:
    room.desk.codex(20, "--no-daemon")
    return Leaver(room.desk, room.desk.put("11-07-12", rows=18))


async def test_from_an_empty_composer_it_quits(room: Room, codex: Leaver) -> None:
    assert await room.driver.leave(await room.who(), drop=False) == "asked"
    assert room.desk.pressed == QUIT
    assert not await room.all()


async def test_asked_again_it_goes_on_from_what_stands_there(room: Room, codex: Leaver) -> None:
    codex.draft = "/quit"
    codex.draw()
    assert await room.driver.leave(await room.who(), drop=False) == "asked"
    assert room.desk.pressed == ["Enter"]


async def test_a_draft_is_cleared_only_when_it_may_be_dropped(room: Room, codex: Leaver) -> None:
    codex.draft = "water the"
    codex.draw()
    who = await room.who()
    assert await room.driver.leave(who, drop=False) == "busy"
    assert room.desk.pressed == []
    assert await room.driver.leave(who, drop=True) == "asked"
    assert room.desk.pressed == ["C-c", *QUIT]


async def test_a_turn_is_interrupted_only_when_it_may_be_dropped(room: Room, codex: Leaver) -> None:
    codex.answers = False
    codex.draft = "water all"
    codex.react("Enter")
    codex.title = "⠋ sow | plants80"
    codex.draw()
    who = await room.who()
    assert await room.driver.leave(who, drop=False) == "busy"
    assert room.desk.pressed == []
    assert await room.driver.leave(who, drop=True) == "asked"
    assert room.desk.pressed == ["Escape", *QUIT]


async def test_a_turn_that_does_not_end_leaves_it_to_a_signal(room: Room, codex: Leaver) -> None:
    codex.answers, codex.hears_escape = False, False
    codex.draft = "water all"
    codex.react("Enter")
    assert await room.driver.leave(await room.who(), drop=True) == "deaf"
    assert room.desk.pressed == ["Escape"]


async def test_an_open_dialog_is_cancelled_only_when_it_may_be_dropped(room: Room, codex: Leaver) -> None:
    room.desk.show("no-daemon-exec-approval-80x24")
    who = await room.who()
    assert await room.driver.leave(who, drop=False) == "busy"
    assert room.desk.pressed == []
    assert await room.driver.leave(who, drop=True) == "asked"
    assert room.desk.pressed == ["Escape", *QUIT]


async def test_nothing_is_pressed_on_a_start_up_prompt(room: Room, codex: Leaver) -> None:
    room.desk.show("trust-folder-80x24")
    assert await room.driver.leave(await room.who(), drop=True) == "deaf"
    room.desk.show("no-daemon-after-quit-80x24")
    assert await room.driver.leave(await room.who(), drop=True) == "deaf"
    assert room.desk.pressed == []


async def test_somebody_types_meanwhile(room: Room, codex: Leaver) -> None:
    def react(typed: str) -> None:
        codex.react(typed)
        if typed == "paste:/quit":
            codex.draft += " and"
            codex.draw()

    room.desk.react = react
    assert await room.driver.leave(await room.who(), drop=False) == "busy"
    assert room.desk.pressed == ["paste:/quit"]


async def test_the_npm_script_ends_with_it(room: Room, codex: Leaver) -> None:
    assert room.driver.ends_with(await room.who()) == {19, 20}
    room.desk.machine.add(process(19, 18, "-zsh", exe="/bin/zsh"))
    assert room.driver.ends_with(await room.who()) == {20}


class Helpers:
    """Those that a background server runs."""

    def __init__(self, *, obey: bool) -> None:
        self.count = 1
        self.obey = obey

    def helpers(self) -> int:
        return self.count

    async def end_helpers(self) -> bool:
        self.count = 0 if self.obey else 1
        return self.obey


@pytest.mark.parametrize(("drop", "obey"), [(False, True), (True, False), (True, True)])
async def test_helpers_behind_the_server_end_first(room: Room, codex: Leaver, drop: bool, obey: bool) -> None:
    who, helpers = await room.who(), Helpers(obey=obey)
    finder = Finder(room.desk, Tasks("test"))
    agent = TypedCodex(room.desk, Looker(room.desk, finder))
    left = await leave(
        room.desk, who, agent, drop=drop, interrupt=lambda: room.driver.interrupt(who), outliving=helpers
    )
    is_asked = drop and obey
    assert left == ("asked" if is_asked else "busy")
    assert room.desk.pressed == (QUIT if is_asked else [])
