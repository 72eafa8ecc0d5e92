"""A fleet of both: agents in tmux and agents in Herdr, one beside the other, with the same honest status."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from controlroom.testing.scripted.desk import Desk
from controlroom.testing.scripted.steps import Go, Hold, Say, Scene, Turn, Use
from tests.integration.demo.room import PATIENCE_S, Room
from tests.support.herdr_desk import HerdrDesk
from tests.support.server_thread import in_thread
from tests.support.waiting import until_now

REMOVE = Use(name="Bash", input={"command": "rm -r old", "description": "Remove the old files"}, ask=True)


class MixedDesk(Desk):
    """A desk whose control room also looks at a Herdr session."""

    herdr_socket = ""

    @property
    def environ(self) -> dict[str, str]:
        return super().environ | {"CONTROLROOM_HERDR_SOCKETS": self.herdr_socket}


class Mixed(NamedTuple):
    room: Room
    herdr: HerdrDesk


@pytest.fixture
def mixed(desk: Desk) -> Iterator[Mixed]:
    """One agent in tmux, two in Herdr."""
    mine = MixedDesk(desk.folder / "a")
    lent = Desk(desk.folder / "b")
    for folder in (mine.folder, lent.folder):
        folder.mkdir()
    herdr = HerdrDesk(lent)
    herdr.answers_dialogs = True  # as up to 0.8.0, were it asked to prompt
    mine.add(Scene(name="orchard", turns=(Turn(prompt="Begin.", steps=(Hold(), Say(text="Done."))),)))
    herdr.add_agent(
        Scene(name="pears", folder="pears", turns=(Turn(prompt="Begin.", steps=(Say(text="Yes."),)),))
    )
    herdr.add_agent(Scene(name="plums", folder="plums", turns=(Turn(prompt="Begin.", steps=(REMOVE,)),)))
    mine.herdr_socket = str(herdr.path)
    room = Room(mine)
    try:
        with in_thread(herdr):
            room.start()
            yield Mixed(room, herdr)
            room.end()
    finally:
        room.end()
        mine.close()
        lent.close()


def children(pid: int | None) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_a_mixed_fleet(mixed: Mixed) -> None:
    room, herdr = mixed
    room.until("orchard", "working")
    pears = room.until("pears", "idle")
    plums = room.until("plums", "blocked")  # Herdr says idle: our own evidence is better
    shown = room.run("fleet")
    for name in ("orchard", "pears", "plums"):
        assert name in shown
    assert {agent.name: agent.pane.multiplexer for agent in room.fleet().agents if agent.pane} == {
        "orchard": "tmux",
        "pears": "herdr",
        "plums": "herdr",
    }
    assert pears.pane is not None and pears.pane.server == str(herdr.path)

    # A message to an agent in Herdr provably arrives.
    ran = room.run("send", "pears", "--wait", "Good morning — 漢字\nsecond line")
    assert ran.endswith("Delivered\n")

    # A restart opens a tab, waits there for the old process, and goes on in it with the same session. A tab
    # of its own of which it never heard, with nothing but a shell, goes away.
    herdr.lost_tabs = 1
    assert room.run("restart", "pears", "--why", "It has lost its way").count("✓") >= 3
    again = room.until("pears", "idle")
    assert (again.id, again.session_id) == (pears.id, pears.session_id)
    assert again.pane is not None and again.pane.id != pears.pane.id and pears.pane.id not in herdr.panes
    place = herdr.panes[again.pane.id]
    assert herdr.tabs_opened == 2 and len(herdr.panes) == 2
    assert place.label == "pears" and "pears" in room.run("operations") and herdr.focused == []
    environ = [Path(f"/proc/{pid}/environ").read_bytes() for pid in children(place.shell_pid)]
    assert any(f"HERDR_PANE_ID={again.pane.id}".encode() in each for each in environ)

    # One to an agent that asks something waits: nothing is typed, Herdr is not asked to prompt.
    assert plums.pane is not None
    pane = herdr.panes[plums.pane.id]
    room.until_held("plums", "Go on, please.", "msg_waits", "dialog")
    assert pane.received == []
    assert not any(method.startswith("agent.") for method, _ in herdr.socket.asked)

    # A dialog is answered there as in tmux.
    assert plums.waiting_for is not None
    room.run("answer", "plums", "1", "--waiting-id", plums.waiting_for.id, "--yes")
    until_now(lambda: b"Go on, please." in b"".join(pane.received), within_s=PATIENCE_S)

    # Herdr talks nonsense: what runs there is not known any more, the rest goes on.
    herdr.socket.raw = b"SSH-2.0-OpenSSH_9.2\r\n"
    room.until("pears", "unknown")
    room.desk.tell("orchard", Go())
    room.until("orchard", "idle")
    assert room.agent("pears") is not None
    herdr.socket.raw = None
    room.until("pears", "idle")
    assert herdr.socket.broken_subscriptions == 0
