"""The live pictures in a real terminal (a tmux pane): they keep up, survive breaks, and give it back."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import msgspec
import pytest

from controlroom.wire.client import ScreenFrame
from controlroom.wire.model import Item, Items, Screen, ScreenCursor, Tool
from tests.integration.cli.stub_hub import StubHub
from tests.support.tmux import TmuxServer
from tests.support.waiting import until_now
from tests.unit.cli.agents import NOW, PERMISSION, agent, all_states, fleet, waiting

SHELL = "env PS1='ready$ ' sh"
CURSOR = ScreenCursor(row=0, column=0, visible=False)
ORCHARD = agent("orchard", id="agt_1", chat_id="cht_1")


class Pane:
    """A shell in a pane, in which commands are typed."""

    def __init__(self, tmux: TmuxServer, home: Path, width: int = 80, height: int = 24) -> None:
        self._tmux = tmux
        self._home = home
        self.id = tmux.session("person", "sh", "-c", SHELL, width=width, height=height)

    def controlroom(self, *arguments: str) -> None:
        words = [sys.executable, "-m", "controlroom.cli.main", "--home", str(self._home), *arguments]
        self.type(f"clear; {shlex.join(words)}; echo status=$?")
        self.press("Enter")

    def type(self, text: str) -> None:
        self._tmux.run("send-keys", "-t", self.id, "-l", text)

    def press(self, *keys: str) -> None:
        self._tmux.run("send-keys", "-t", self.id, *keys)

    @property
    def text(self) -> str:
        return self._tmux.text(self.id)

    @property
    def is_alternate(self) -> bool:
        return self._tmux.get(self.id, "alternate_on") == "1"

    def shows(self, *words: str) -> None:
        try:
            until_now(lambda: all(word in self.text for word in words))
        except AssertionError:
            raise AssertionError(f"{words} in:\n{self.text}") from None

    def ended(self, status: int) -> None:
        """The command is over, and the terminal is the person's again: its screen, its cursor, its echo."""
        self.shows(f"status={status}\n")
        assert not self.is_alternate
        assert self._tmux.get(self.id, "cursor_flag") == "1"
        self.type("echo it-$((40+2))")
        self.shows("echo it-$((40+2))")
        self.press("Enter")
        self.shows("it-42")


@pytest.fixture
def pane(tmux: TmuxServer, home: Path) -> Pane:
    return Pane(tmux, home)


def test_the_board_keeps_up_and_q_leaves(hub: StubHub, pane: Pane) -> None:
    hub.fleet = all_states()
    pane.controlroom("fleet", "--watch")
    pane.shows("12 agents · 3 need you", "Permission needed", "q leaves")
    assert pane.is_alternate
    hub.change(agent("crates", "blocked", waiting_for=waiting("Do you want to proceed?")))
    pane.shows("12 agents · 4 need you")
    pane.press("q")
    pane.ended(0)


def test_ages_tick(hub: StubHub, pane: Pane) -> None:
    """By the hub's clock: the stub stands at one time, so the board goes on from there."""
    hub.fleet = fleet(agent("orchard", "working", 20_000))
    pane.controlroom("fleet", "--watch")
    pane.shows("Working   ", " s  orchard")
    first = pane.text
    until_now(lambda: pane.text != first, "the age changes")


def test_the_board_says_when_the_connection_is_lost_and_goes_on(hub: StubHub, pane: Pane) -> None:
    hub.fleet = all_states()
    pane.controlroom("fleet", "--watch")
    pane.shows("12 agents")
    hub.stop()
    pane.shows("reconnecting, last seen ", "Permission needed")
    hub.fleet = msgspec.structs.replace(fleet(agent("newcomer")), seq=99)
    hub.start()
    pane.shows("1 agent ·", "newcomer", "q leaves")
    pane.press("q")
    pane.ended(0)


def test_another_size_is_drawn_anew(tmux: TmuxServer, hub: StubHub, pane: Pane) -> None:
    hub.fleet = all_states()
    pane.controlroom("fleet", "--watch")
    pane.shows("12 agents")
    tmux.run("resize-window", "-t", pane.id, "-x", "120", "-y", "50")
    until_now(lambda: "It quit by itself." in pane.text and "more below" not in pane.text, "all rows")
    tmux.run("resize-window", "-t", pane.id, "-x", "60", "-y", "10")
    pane.shows("more below")
    assert len(pane.text.rstrip("\n").split("\n")) <= 10


@pytest.mark.parametrize(("key", "status"), [("C-c", 130), ("q", 0)])
def test_ctrl_c_gives_the_terminal_back(hub: StubHub, pane: Pane, key: str, status: int) -> None:
    hub.fleet = all_states()
    pane.controlroom("fleet", "--watch")
    pane.shows("12 agents")
    pane.press(key)
    pane.ended(status)


def test_a_signal_gives_the_terminal_back(tmux: TmuxServer, hub: StubHub, pane: Pane) -> None:
    hub.fleet = all_states()
    pane.controlroom("fleet", "--watch")
    pane.shows("12 agents")
    (board,) = [pid for pid in below(int(tmux.get(pane.id, "pane_pid"))) if b"--watch" in command_line(pid)]
    os.kill(board, 15)
    pane.ended(143)


def test_ctrl_z_lends_the_terminal_and_fg_takes_it_again(tmux: TmuxServer, home: Path, hub: StubHub) -> None:
    hub.fleet = all_states()
    pane = Pane(tmux, home)
    pane.type("set -m")
    pane.press("Enter")
    pane.controlroom("fleet", "--watch")
    pane.shows("12 agents")
    pane.press("C-z")
    until_now(lambda: not pane.is_alternate, "the shell's screen")
    pane.type("fg")
    pane.press("Enter")
    until_now(lambda: pane.is_alternate, "the board")
    pane.shows("12 agents")
    pane.press("q")
    until_now(lambda: not pane.is_alternate, "the shell's screen")


def test_the_mirror_shows_frames_and_says_what_is_cut(hub: StubHub, pane: Pane) -> None:
    rows = tuple(f"row {n} \x1b[31mred\x1b[0m " + "x" * 90 for n in range(40))
    hub.fleet = fleet(ORCHARD)
    hub.screen = Screen(revision="r1", width=100, height=40, cursor=CURSOR, rows=rows, ansi=rows, at_ms=NOW)
    pane.controlroom("watch", "orchard")
    pane.shows("row 39 red", "100×40, cut to columns 1–80, rows 18–40", "q leaves")
    until_now(lambda: {"type": "watch", "agent_id": "agt_1"} in hub.frames, "it asks for frames")
    hub.push(
        ScreenFrame(
            agent_id="agt_1", revision="r2", width=30, height=2, cursor=CURSOR, data="\x1b[Hnew\r\nframe"
        )
    )
    pane.shows("new\nframe", "orchard · 30×2")
    pane.press("q")
    pane.ended(0)


def test_the_mirror_moves_with_the_arrows(hub: StubHub, pane: Pane) -> None:
    rows = tuple(f"row {n} " + "abcdefgh" * 12 for n in range(40))
    hub.fleet = fleet(ORCHARD)
    hub.screen = Screen(revision="r1", width=100, height=40, cursor=CURSOR, rows=rows, ansi=rows, at_ms=NOW)
    pane.controlroom("watch", "orchard")
    pane.shows("rows 18–40")
    pane.press("Up", "Right")
    pane.shows("columns 9–88, rows 17–39")
    pane.press("f")
    pane.shows("columns 1–80, rows 18–40")
    pane.press("C-c")
    pane.ended(130)


def test_the_mirror_keeps_the_last_picture_over_a_break(hub: StubHub, pane: Pane) -> None:
    hub.fleet = fleet(ORCHARD)
    hub.screen = Screen(
        revision="r1", width=20, height=2, cursor=CURSOR, rows=("one",), ansi=("one",), at_ms=NOW
    )
    pane.controlroom("watch", "orchard")
    pane.shows("one", "20×2")
    hub.stop()
    pane.shows("one", "reconnecting, this is the last picture")
    hub.start()
    until_now(lambda: hub.watchers, "it is back")
    until_now(lambda: "reconnecting" not in pane.text, "it says so no more")


def test_following_a_chat_prints_each_item_once(hub: StubHub, pane: Pane) -> None:
    def item(number: int, words: str) -> Item:
        return Item(id=f"i{number}", at_ms=NOW, kind="assistant", text=words)

    hub.fleet = fleet(agent("orchard", "working", id="agt_1", chat_id="cht_1"))
    hub.items["cht_1"] = Items(items=(item(1, "first words"),), before=None, after="c1", skipped=0)
    pane.controlroom("chat", "orchard", "--follow")
    pane.shows("first words", "◐  Working")
    runs = Item(id="i2", at_ms=NOW, kind="tool", tool=Tool(name="Bash", title="Bash: make", state="running"))
    hub.add("cht_1", runs)
    pane.shows("◐  Working  Bash: make")
    done = msgspec.structs.replace(runs, tool=Tool(name="Bash", title="Bash: make", state="done"))
    hub.add("cht_1", done, item(3, "second words"))
    pane.shows("✓ Bash: make", "second words")
    hub.stop()
    pane.shows("connection lost, trying again")
    hub.start()
    hub.add("cht_1", item(4, "third words"))
    pane.shows("third words")
    for words in ("first words", "✓ Bash: make", "second words", "third words"):
        assert pane.text.count(words) == 1
    pane.press("C-c")
    pane.shows("status=130")


def test_an_unseen_prompt_is_shown_and_asked_about(hub: StubHub, pane: Pane) -> None:
    hub.fleet = fleet(agent("orchard", "blocked", id="agt_1", waiting_for=waiting(PERMISSION)))
    pane.controlroom("answer", "orchard", "1")
    pane.shows("Run the inventory report", "Answer “Yes”? [y/N]")
    pane.type("n")
    pane.press("Enter")
    pane.shows("Nothing was sent.", "status=1")
    assert not [name for name, _ in hub.calls if name.endswith("/answer")]
    pane.controlroom("answer", "orchard", "1")
    pane.shows("Answered “Yes”.", "status=0")


def test_what_is_risky_is_confirmed_by_typing_it(hub: StubHub, pane: Pane) -> None:
    hub.fleet = fleet(agent("orchard", "blocked", id="agt_1", waiting_for=waiting(PERMISSION)))
    pane.controlroom("answer", "orchard", "2")
    pane.shows("is lasting or risky", "Type it to go on: Yes, and don't ask again for: touch, rm")
    pane.type("y")
    pane.press("Enter")
    pane.shows("Nothing was sent.", "status=1")
    pane.controlroom("answer", "orchard", "2")
    pane.shows("Type it to go on")
    pane.type("Yes, and don't ask again for: touch, rm")
    pane.press("Enter")
    pane.shows("Answered “Yes, and don't ask again for: touch, rm”.", "status=0")


def below(pid: int) -> list[int]:
    found = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return found + [deeper for child in found for deeper in below(child)]


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
