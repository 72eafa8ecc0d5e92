"""What typing and answering ask of the driver: freshly read, and never more than is known."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from controlroom.core.delivery import Intent
from controlroom.core.facts import Composer
from controlroom.node.agents.base import Sighting
from controlroom.node.agents.claude.finder import Finder
from controlroom.node.agents.claude.keyboard import Keyboard
from controlroom.node.agents.claude.sessions import SessionBook
from controlroom.node.agents.typing import CannotAnswer, Press, Want
from controlroom.node.mux.base import PaneBusy, PaneGone
from tests.unit.node.agents.claude.desk import NATIVE, NOW_MS, SESSION, Desk, process
from tests.unit.node.agents.claude.samples import placed, transcript

OTHER = "11111111-2222-4333-8444-555555555555"


class Hands:
    def __init__(self, home: Path) -> None:
        self.desk = Desk(home)
        self.finder = Finder(self.desk)
        self.keyboard = Keyboard(self.desk, self.finder, SessionBook())

    def who(self) -> Sighting:
        (found,) = self.finder.find().sightings
        return found


@pytest.fixture
def hands(tmp_path: Path) -> Hands:
    hands = Hands(tmp_path)
    hands.desk.claude()
    hands.desk.machine.add(process(20, 19, NATIVE, NATIVE, at_ms=0))
    return hands


def middle(name: str, part: bytes) -> int:
    return next(place.end for place, _ in placed(name) if part in place.data)


class TestNow:
    @pytest.mark.parametrize(
        ("status", "now"),
        [("idle", "idle"), ("shell", "idle"), ("waiting", "waiting"), ("busy", "working"), (None, "unknown")],
    )
    async def test_the_registry_decides(self, hands: Hands, status: str | None, now: str) -> None:
        hands.desk.register(status=status)
        hands.desk.record("plain-chat")
        assert await hands.keyboard.now(hands.who()) == now

    async def test_while_only_helpers_run_a_message_begins_a_turn(self, hands: Hands) -> None:
        hands.desk.register(status="busy")
        hands.desk.record("subagents", until=middle("subagents", b"pendingBackgroundAgentCount"))
        assert await hands.keyboard.now(hands.who()) == "idle"

    async def test_without_a_registry_the_file_decides(self, hands: Hands) -> None:
        hands.desk.machine.add(process(20, 19, NATIVE, NATIVE, "--resume", SESSION, at_ms=0))
        hands.desk.record("plain-chat")
        assert await hands.keyboard.now(hands.who()) == "idle"
        hands.desk.record("plain-chat", until=middle("plain-chat", b'"promptSource"'))
        assert await hands.keyboard.now(hands.who()) == "working"

    async def test_a_young_process_is_starting_and_an_old_one_unknown(self, hands: Hands) -> None:
        assert await hands.keyboard.now(hands.who()) == "unknown"
        hands.desk.machine.add(process(20, 19, NATIVE, NATIVE, at_ms=NOW_MS - 1_000))
        assert await hands.keyboard.now(hands.who()) == "starting"


class TestMessages:
    async def test_a_message_is_found_behind_its_position(self, hands: Hands) -> None:
        hands.desk.register()
        path = hands.desk.record("plain-chat", until=middle("plain-chat", b"permission-mode"))
        session_id, position = await hands.keyboard.position(hands.who())
        text = "How do I tell when a pear is ripe? Café ☕ ünïcode 測試"
        intent = Intent(session_id=session_id, position=position, text=text)
        assert (await hands.keyboard.trace(hands.who(), intent)).state == "none"
        path.write_bytes(transcript("plain-chat").read_bytes())
        found = await hands.keyboard.trace(hands.who(), intent)
        assert (session_id, found.state) == (SESSION, "row")

    async def test_also_when_the_session_had_no_file_yet(self, hands: Hands) -> None:
        hands.desk.register()
        session_id, position = await hands.keyboard.position(hands.who())
        hands.desk.record("prompt-taken-back")
        intent = Intent(session_id=session_id, position=position, text="never answered")
        assert (await hands.keyboard.trace(hands.who(), intent)).state == "row"

    async def test_also_in_the_session_that_followed(self, hands: Hands) -> None:
        hands.desk.at_ms = 1796047900000  # just before the recorded command
        hands.desk.register()
        hands.desk.record("plain-chat")
        session_id, position = await hands.keyboard.position(hands.who())
        hands.desk.record("clear-and-shell-command", OTHER)
        hands.desk.register(sessionId=OTHER, updatedAt=1)
        intent = Intent(session_id=session_id, position=position, text="/clear")
        assert (await hands.keyboard.trace(hands.who(), intent)).state == "row"
        late = msgspec.structs.replace(intent, position=position.replace("1796047900000", "1796049900000"))
        assert (await hands.keyboard.trace(hands.who(), late)).state == "none"

    async def test_a_file_that_is_gone_tells_nothing(self, hands: Hands) -> None:
        hands.desk.register()
        path = hands.desk.record("plain-chat")
        session_id, position = await hands.keyboard.position(hands.who())
        path.unlink()
        intent = Intent(session_id=session_id, position=position, text="hello")
        assert (await hands.keyboard.trace(hands.who(), intent)).state == "unreadable"

    @pytest.mark.parametrize(
        ("shown", "collapsed", "text", "expected"),
        [
            ("hello", False, "hello", True),
            ("a long line that\nwraps", False, "a long line that wraps", True),
            ("hello there", False, "hello", False),
            ("[Pasted text #1 +3 lines]", True, "a\nb\nc\nd", True),
            ("[Pasted text #1 +3 lines]", True, "a\nb", False),
            ("[Pasted text #1]", True, "x" * 900, True),
            ("[Pasted text #1] and more", True, "x" * 900, False),
            ("line 23\nline 24", True, "line 23\nline 24", False),  # a tall draft of which only the end shows
            ("", False, "", False),
        ],
    )
    def test_the_composer_holds_the_whole_text(
        self, hands: Hands, shown: str, collapsed: bool, text: str, expected: bool
    ) -> None:
        assert hands.keyboard.holds(Composer(shown, collapsed=collapsed), text) is expected


class TestDialogs:
    async def test_its_id_follows_the_call_it_asks_about(self, hands: Hands) -> None:
        hands.desk.register(status="waiting")
        hands.desk.record("tools-and-permissions", until=middle("tools-and-permissions", b"toolu_c70cae"))
        hands.desk.show("80x24-permission-bash")
        first = await hands.keyboard.open_dialog(hands.who())
        assert first is not None and first == await hands.keyboard.open_dialog(hands.who())
        hands.desk.record(
            "hook-answered-permissions", until=middle("hook-answered-permissions", b"toolu_9c00")
        )
        second = await hands.keyboard.open_dialog(hands.who())
        assert second is not None and second.id != first.id and second.shown == first.shown

    async def test_no_dialog_is_not_the_same_as_no_screen(self, hands: Hands) -> None:
        assert await hands.keyboard.open_dialog(hands.who()) is None
        hands.desk.is_busy = True
        with pytest.raises(PaneBusy):
            await hands.keyboard.open_dialog(hands.who())
        hands.desk.is_busy = False
        hands.desk.screens.clear()
        with pytest.raises(PaneGone):
            await hands.keyboard.open_dialog(hands.who())

    async def test_the_next_step_looks_at_the_panel(self, hands: Hands) -> None:
        hands.desk.show("80x24-permission-bash")
        shown = await hands.keyboard.open_dialog(hands.who())
        assert shown is not None
        assert hands.keyboard.next_step(shown.shown, Want("1"), 0) == Press(("1",), answers=True)
        assert isinstance(hands.keyboard.next_step(shown.shown, Want("7"), 0), CannotAnswer)
