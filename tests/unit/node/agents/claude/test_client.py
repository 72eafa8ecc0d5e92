"""Facts about one agent, put together from registry, transcript and screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.core.activity import derive
from controlroom.core.dialogs import dialog_id
from controlroom.core.facts import AgentFacts
from controlroom.node.agents.base import Sighting
from controlroom.node.agents.claude.client import ClaudeDriver
from tests.unit.node.agents.claude.desk import NATIVE, NOW_MS, SESSION, Desk, process
from tests.unit.node.agents.claude.samples import placed


class Room:
    """A driver and its desk."""

    def __init__(self, home: Path) -> None:
        self.desk = Desk(home)
        self.driver = ClaudeDriver(self.desk)

    async def who(self) -> Sighting:
        (found,) = (await self.driver.find()).sightings
        return found

    async def facts(self) -> AgentFacts:
        who = await self.who()
        glance = self.driver.glance(who)
        facts = await self.driver.facts(who)
        assert glance in (None, facts), "a glance says what a whole look would say"
        return facts

    async def activity(self) -> str:
        facts = await self.facts()
        return derive(facts, self.desk.at_ms).activity

    async def dialog_id(self) -> str:
        who, facts = await self.who(), await self.facts()
        assert facts.screen is not None and facts.screen.value.dialog is not None
        return dialog_id(who.incarnation, facts.position, facts.screen.value.dialog)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def end_of(name: str, part: bytes) -> int:
    """The offset behind the first row of a recording that holds ``part``."""
    return next(place.end for place, _ in placed(name) if part in place.data)


class TestActivities:
    async def test_idle(self, room: Room) -> None:
        room.desk.claude()
        room.desk.register()
        room.desk.record("plain-chat")
        facts = await room.facts()
        assert derive(facts, NOW_MS).activity == "idle"
        assert facts.turn is not None and facts.turn.value == "ended"
        assert facts.reply is not None and facts.last_author == "assistant"
        assert facts.model == "claude-opus-5-5" and facts.mark and facts.fault is None

    async def test_working(self, room: Room) -> None:
        room.desk.claude(screen="80x24-working-spinner")
        room.desk.register(status="busy")
        room.desk.record("plain-chat", until=end_of("plain-chat", b'"promptSource"'))
        assert await room.activity() == "working"
        assert (await room.facts()).busy_since_ms is not None

    async def test_blocked_carries_the_whole_dialog(self, room: Room) -> None:
        room.desk.claude(screen="80x24-permission-bash")
        room.desk.register(status="waiting", waitingFor="permission prompt")
        room.desk.record("tools-and-permissions", until=end_of("tools-and-permissions", b"toolu_c70cae"))
        facts = await room.facts()
        assert derive(facts, NOW_MS).activity == "blocked"
        assert facts.position == "toolu_c70cae7633f844cfab59f5a4"
        assert facts.screen is not None and facts.screen.value.dialog is not None
        assert len(facts.screen.value.dialog.options) == 4

    async def test_waiting_for_helpers(self, room: Room) -> None:
        room.desk.claude(screen="80x24-subagents-running")
        room.desk.machine.add(process(20, 19, NATIVE, NATIVE, at_ms=0))
        room.desk.register(status="busy")
        room.desk.record("subagents", until=end_of("subagents", b"pendingBackgroundAgentCount"))
        facts = await room.facts()
        assert derive(facts, NOW_MS).activity == "helpers"
        assert facts.helpers is not None and facts.helpers.value == 2

    async def test_the_usage_limit_wait_is_idle_and_says_so(self, room: Room) -> None:
        room.desk.at_ms = 1796040000000  # before the reset
        room.desk.claude(screen="80x24-usage-limit-auto-continue")
        room.desk.register()
        room.desk.record("usage-limit-5h", until=end_of("usage-limit-5h", b"usage_limit_reached"))
        facts = await room.facts()
        assert derive(facts, room.desk.at_ms).activity == "idle"
        assert facts.fault is not None and facts.fault.code == "usage_limit"
        assert facts.fault.text.startswith("You've hit your 5-hour limit · resets 1:06pm (UTC)")

    async def test_a_question_at_the_end_of_the_reply(self, room: Room) -> None:
        room.desk.claude()
        room.desk.register()
        end = end_of("question-status-result-blocks", b"turn_duration")
        room.desk.record("question-status-result-blocks", until=end)
        assert await room.activity() == "question"

    async def test_starting_while_nothing_is_registered(self, room: Room) -> None:
        room.desk.claude(20, "--resume", SESSION, screen="80x24-suspended")
        room.desk.machine.add(process(20, 19, NATIVE, NATIVE, "--resume", SESSION, at_ms=NOW_MS - 2_000))
        room.desk.record("plain-chat")
        assert await room.activity() == "starting"

    async def test_no_status_in_the_registry_is_not_idle(self, room: Room) -> None:
        room.desk.claude(screen="80x24-working-spinner")
        room.desk.register(status=None)
        assert (await room.facts()).reported == ()


class TestTurns:
    async def test_a_turn_of_an_earlier_process_does_not_run(self, room: Room) -> None:
        room.desk.claude()
        room.desk.register()
        room.desk.record("plain-chat", until=end_of("plain-chat", b'"promptSource"'))
        facts = await room.facts()
        assert facts.turn is not None and facts.turn.value == "interrupted"

    async def test_an_open_turn_of_this_process_does(self, room: Room) -> None:
        room.desk.claude()
        room.desk.machine.add(process(20, 19, NATIVE, NATIVE, at_ms=0))
        room.desk.register(status="busy")
        room.desk.record("plain-chat", until=end_of("plain-chat", b'"promptSource"'))
        facts = await room.facts()
        assert facts.turn is not None and facts.turn.value == "open"

    async def test_a_prompt_that_was_taken_back_is_no_open_turn(self, room: Room) -> None:
        room.desk.claude()
        room.desk.machine.add(process(20, 19, NATIVE, NATIVE, at_ms=0))
        room.desk.at_ms = 1796047960000
        room.desk.record("prompt-taken-back")
        room.desk.register(statusUpdatedAt=room.desk.at_ms - 1_000)
        first = await room.facts()
        assert first.turn is not None and first.turn.value == "open"  # its rows may be on their way
        room.desk.at_ms += 10_000
        later = await room.facts()
        assert later.turn is not None and (later.turn.value, later.turn.source) == ("interrupted", "registry")

    async def test_helpers_of_an_idle_agent_are_none(self, room: Room) -> None:
        room.desk.claude()
        room.desk.machine.add(process(20, 19, NATIVE, NATIVE, at_ms=0))
        room.desk.register()
        room.desk.record("subagents", until=end_of("subagents", b"pendingBackgroundAgentCount"))
        facts = await room.facts()
        assert facts.helpers is not None and facts.helpers.value == 0


class TestFaults:
    async def test_a_start_up_prompt(self, room: Room) -> None:
        room.desk.claude(screen="80x24-trust-prompt")
        facts = await room.facts()
        assert facts.fault is not None and facts.fault.code == "startup_prompt"
        assert "Accessing workspace:" in facts.fault.text
        assert derive(facts, NOW_MS).activity == "blocked"

    async def test_signed_out_by_the_screen_and_by_the_last_reply(self, room: Room) -> None:
        room.desk.claude(screen="80x24-not-logged-in")
        room.desk.register()
        facts = await room.facts()
        assert facts.fault is not None and facts.fault.code == "signed_out"
        room.desk.show("80x24-api-error-401-final")
        room.desk.machine.add(process(20, 19, NATIVE, NATIVE, at_ms=0))
        room.desk.record("api-error-401")
        facts = await room.facts()
        assert facts.fault is not None and facts.fault.code == "signed_out"

    async def test_an_api_error(self, room: Room) -> None:
        room.desk.claude()
        room.desk.machine.add(process(20, 19, NATIVE, NATIVE, at_ms=0))
        room.desk.register()
        room.desk.record("api-error-529")
        facts = await room.facts()
        assert facts.fault is not None and facts.fault.code == "api_error"

    async def test_a_session_without_a_word_has_no_file_and_no_fault(self, room: Room) -> None:
        room.desk.claude()
        room.desk.register()
        facts = await room.facts()
        assert (facts.fault, facts.mark) == (None, "")
        assert facts.turn is not None and facts.turn.value == "none"

    async def test_a_file_that_was_there_and_is_gone_is_a_fault(self, room: Room) -> None:
        room.desk.claude()
        room.desk.register()
        path = room.desk.record("plain-chat")
        assert (await room.facts()).fault is None
        path.unlink()
        facts = await room.facts()
        assert facts.fault is not None and facts.fault.code == "history_missing"

    async def test_so_is_a_resumed_session_without_a_file(self, room: Room) -> None:
        room.desk.claude(20, "--resume", SESSION)
        room.desk.register()
        facts = await room.facts()
        assert facts.fault is not None and facts.fault.code == "history_missing"

    async def test_what_cannot_be_read_is_a_fault_and_the_rest_goes_on(
        self, room: Room, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        room.desk.claude()
        room.desk.register()

        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("controlroom.node.agents.claude.sessions.SessionFiles.find", refuse)
        facts = await room.facts()
        assert facts.fault is not None and facts.fault.code == "unreadable"
        assert derive(facts, NOW_MS).activity == "idle"


class TestEnds:
    async def end(self, room: Room) -> AgentFacts:
        who = await room.who()
        await room.driver.facts(who)
        del room.desk.machine.known[20]
        assert (await room.driver.find()).sightings == ()
        return await room.driver.farewell(who)

    async def test_a_killed_agent_leaves_its_registry_file(self, room: Room) -> None:
        room.desk.claude()
        room.desk.register()
        room.desk.record("plain-chat")
        facts = await self.end(room)
        assert not facts.alive.value and not facts.ended_cleanly
        assert facts.fault is not None and facts.fault.code == "crashed"
        assert f"claude --resume {SESSION}" in facts.fault.text
        assert facts.reply is not None

    async def test_one_that_quit_took_it_away(self, room: Room) -> None:
        room.desk.claude()
        room.desk.register()
        room.desk.record("plain-chat")
        who = await room.who()
        (room.desk.profile / "sessions" / "20.json").unlink()
        del room.desk.machine.known[20]
        facts = await room.driver.farewell(who)
        assert facts.ended_cleanly and facts.fault is None

    async def test_an_end_between_two_looks_is_seen_in_the_facts(self, room: Room) -> None:
        room.desk.claude()
        room.desk.register()
        who = await room.who()
        del room.desk.machine.known[20]
        assert not (await room.driver.facts(who)).alive.value


class TestScreens:
    async def test_a_screen_that_cannot_be_read_now_keeps_its_age(self, room: Room) -> None:
        room.desk.claude()
        room.desk.register()
        first = await room.facts()
        room.desk.is_busy, room.desk.at_ms = True, NOW_MS + 60_000
        later = await room.facts()
        assert later.read_at_ms == first.read_at_ms == NOW_MS
        assert derive(later, room.desk.at_ms).activity == "unknown"

    async def test_a_change_in_the_registry_asks_for_a_fresh_screen(self, room: Room) -> None:
        room.desk.claude()
        room.desk.register()
        for _ in range(2):
            await room.facts()
        room.desk.register(status="waiting", statusUpdatedAt=NOW_MS)
        await room.facts()
        await room.facts()
        assert room.desk.asked_ages == [0.0, 2.0, 0.0, 2.0]

    async def test_moving_the_cursor_begins_nothing_new(self, room: Room) -> None:
        room.desk.claude(screen="80x24-trust-prompt")
        first = await room.facts()
        id = await room.dialog_id()
        room.desk.at_ms += 5_000
        room.desk.show("80x24-trust-prompt-yes-selected")
        later = await room.facts()
        assert first.screen is not None and later.screen is not None
        assert first.screen.at_ms == later.screen.at_ms
        assert await room.dialog_id() == id

    async def test_a_pane_that_is_gone_leaves_the_other_facts(self, room: Room) -> None:
        ref = room.desk.claude()
        room.desk.register()
        room.desk.screens[ref] = None
        facts = await room.facts()
        assert facts.screen is None and facts.read_at_ms == NOW_MS


class TestAnswers:
    @pytest.mark.parametrize(("age_ms", "waits_s"), [(100, 0.3), (400, 0.05), (-60_000, 0.4)])
    async def test_a_dialog_hears_keys_before_one_is_pressed(
        self, room: Room, age_ms: int, waits_s: float
    ) -> None:
        """An old dialog is only looked at twice; the clock may have been set back since it was seen."""
        room.desk.claude(screen="80x24-trust-prompt")
        id = await room.dialog_id()
        room.desk.at_ms += age_ms
        await room.driver.answer(await room.who(), id, "No, exit", None)
        assert room.desk.settled[0] == pytest.approx(waits_s)
        assert room.desk.pressed
