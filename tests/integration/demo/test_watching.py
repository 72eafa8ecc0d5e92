"""Watching in a real terminal: live, and it changes nothing about the pane that is watched."""

from __future__ import annotations

from controlroom.testing.scripted.steps import Go, Hold, Say, Scene, Turn, Use
from tests.integration.cli.test_live import Pane
from tests.integration.demo.room import Room
from tests.support.tmux import TmuxServer

SIZE = "#{pane_width}x#{pane_height}"
REMOVE = Use(name="Bash", input={"command": "rm -r old", "description": "Remove the old files"}, ask=True)
STEPS = (Hold(), Say(text="Half way."), REMOVE, Say(text="All done."))
SCENE = Scene(name="orchard", turns=(Turn(prompt="Please begin.", steps=STEPS),))


def size(room: Room) -> str:
    return room.desk.tmux("display-message", "-p", "-t", "desk:orchard", SIZE).strip()


def test_the_mirror_follows_and_never_resizes(room: Room, tmux: TmuxServer) -> None:
    """Field lesson 41."""
    room.desk.add(SCENE)
    room.start()
    room.until("orchard", "working")
    person = Pane(tmux, room.home, width=60, height=15)
    person.controlroom("watch", "orchard")
    person.shows("Sorting", "100×30, cut to columns 1–60, rows")
    room.desk.tell("orchard", Go())
    person.shows("Do you want to proceed?", "2. Yes, and don't ask again")
    assert size(room) == "100x30"
    assert len(room.desk.tmux("list-clients", "-F", "#{client_control_mode}").split()) == 1  # the node's own
    person.press("q")
    person.ended(0)
    assert size(room) == "100x30"


def test_the_board_follows(room: Room, tmux: TmuxServer) -> None:
    room.desk.add(SCENE)
    room.start()
    person = Pane(tmux, room.home)
    person.controlroom("fleet", "--watch")
    person.shows("Working", "orchard")
    room.desk.tell("orchard", Go())
    person.shows("1 needs you", "Permission needed", "rm -r old")
    room.desk.tmux("send-keys", "-t", "desk:orchard", "3")
    person.shows("nothing waits for you", "Idle")
    room.end()
    person.shows("reconnecting, last seen")
    room.start()
    person.shows("q leaves", "orchard")


def test_a_chat_is_followed(room: Room, tmux: TmuxServer) -> None:
    room.desk.add(SCENE)
    room.start()
    room.until("orchard", "working")
    person = Pane(tmux, room.home)
    person.controlroom("chat", "orchard", "--follow")
    person.shows("Please begin.", "◐  Working")
    room.desk.tell("orchard", Go())
    person.shows("Half way.", "■  Permission needed", "answer with: ")
    room.run("answer", "orchard", "1")
    person.shows("✓ Bash: rm -r old", "All done.")
    assert person.text.count("Half way.") == 1
    person.press("C-c")
    person.shows("status=130")
