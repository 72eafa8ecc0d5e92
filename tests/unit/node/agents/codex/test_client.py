"""The facts that the driver tells, how an agent ended, and its pages, on a small machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controlroom.core.activity import derive
from tests.unit.node.agents.codex.desk import NOW_MS, Room
from tests.unit.node.agents.codex.samples import rollout, session_id


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


# --- facts ------------------------------------------------------------------------------------------------


async def test_facts_of_an_idle_agent(room: Room) -> None:
    room.desk.codex()
    path = room.desk.put("11-07-12")
    facts = await room.facts()
    assert derive(facts, NOW_MS).activity == "idle"
    assert facts.turn is not None and (facts.turn.value, facts.turn.source) == ("ended", "transcript")
    assert facts.reply is not None and facts.last_author == "assistant"
    assert (facts.model, facts.context_used_pct, facts.skipped) == ("gpt-6-sol", 0.5, 0)
    assert facts.mark == f"{session_id(path)}:{path.stat().st_size}"
    assert facts.moved_at_ms == 1_796_036_847_486


async def test_working_while_text_streams(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-07-12")
    room.desk.show("no-daemon-working-streaming-80x24")
    assert await room.activity() == "working"


async def test_an_open_approval_blocks_with_its_dialog(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-07-43", rows=15)
    room.desk.show("no-daemon-exec-approval-80x24")
    facts = await room.facts()
    verdict = derive(facts, NOW_MS)
    assert (verdict.activity, facts.position.rpartition(":")[2]) == (
        "blocked",
        "call_dfa67793395a4e9cbe184838+0",
    )
    assert facts.reported[0].value == "waiting" and facts.reported[0].source == "title"
    assert facts.screen is not None and facts.screen.value.dialog is not None
    assert facts.screen.value.dialog.text.endswith("$ curl -s http://127.0.0.1:8790/v1/models")


async def test_edits_and_cut_requests_are_shown_whole(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-09-07", rows=14)
    for screen in ("patch-approval-80x24", "exec-approval-tall-100x30"):
        room.desk.show(screen)
        facts = await room.facts()
        assert facts.screen is not None and facts.screen.value.dialog is not None
        assert "+first line\n+second line" in facts.screen.value.dialog.text


async def test_a_new_sign_in_the_title_makes_the_screen_be_read_at_once(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-07-12")
    await room.facts()
    await room.facts()
    room.desk.move(title="[ ! ] Action Required | sow | plants80")
    await room.facts()
    await room.facts()
    assert room.desk.ages == [2.0, 2.0, 0.0, 0.0]  # read anew until the dialog is seen


async def test_the_usage_limit_is_a_fault_and_not_blocked(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-08-08")
    room.desk.show("no-daemon-usage-limit-80x24")
    facts = await room.facts()
    assert derive(facts, NOW_MS).activity == "idle"
    assert facts.fault is not None and facts.fault.code == "usage_limit"


@pytest.mark.parametrize(
    ("screen", "code"),
    [
        ("trust-folder-80x24", "startup_prompt"),
        ("update-prompt-80x24", "startup_prompt"),
        ("onboarding-login-80x24", "signed_out"),
        ("onboarding-api-key-80x24", "signed_out"),
        ("resume-locked-90x26", "session_open_twice"),
    ],
)
async def test_start_up_prompts_block_and_are_faults(room: Room, screen: str, code: str) -> None:
    room.desk.codex()
    room.desk.show(screen)
    facts = await room.facts()
    assert derive(facts, NOW_MS).activity == "blocked"
    assert facts.fault is not None and facts.fault.code == code and facts.fault.text


async def test_a_missing_history_is_said(room: Room) -> None:
    id = session_id(rollout("11-07-12"))
    room.desk.codex(20, "--no-daemon", "resume", id)
    facts = await room.facts()
    assert facts.fault is not None and facts.fault.code == "history_missing"
    with pytest.raises(LookupError):
        await room.driver.items(id, str(room.desk.home))


async def test_a_turn_of_an_earlier_process_does_not_run(room: Room) -> None:
    room.desk.codex(at_ms=NOW_MS - 1_000)
    room.desk.put("11-10-02")
    facts = await room.facts()
    assert facts.turn is not None and facts.turn.value == "interrupted"
    assert derive(facts, NOW_MS).activity == "idle"


async def test_an_old_version_that_stands_still_works_on_no_answer(room: Room) -> None:
    room.desk.codex()
    room.desk.put("sessions-0.60.1/11-18-23")
    room.desk.show("old-0.60.1-interrupted-80x24")
    assert await room.activity() == "working"
    room.desk.at_ms += 30_000
    assert await room.activity() == "idle"
    room.desk.show("old-0.60.1-idle-80x24")
    assert await room.activity() == "working"


async def test_an_old_version_at_its_limit(room: Room) -> None:
    room.desk.codex()
    room.desk.put("sessions-0.60.1/11-17-15")
    room.desk.show("old-0.60.1-usage-limit-80x24")
    facts = await room.facts()
    assert facts.fault is not None and facts.fault.code == "usage_limit"
    assert facts.turn is not None and facts.turn.value == "failed"


async def test_a_screen_that_cannot_be_read_is_no_fact(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-07-12")
    room.desk.is_busy = True
    facts = await room.facts()
    assert facts.screen is None and derive(facts, NOW_MS).activity == "idle"


async def test_a_dialog_keeps_its_time_while_its_cursor_moves(room: Room) -> None:
    room.desk.codex()
    room.desk.show("question-second-of-two-100x30")
    first = (await room.facts()).screen
    room.desk.at_ms += 5_000
    room.desk.show("question-notes-empty-100x30")
    second = (await room.facts()).screen
    assert first is not None and second is not None and first.at_ms == second.at_ms


# --- the end ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("screen", ["no-daemon-after-quit-80x24", "after-quit-80x24"])
async def test_a_clean_end(room: Room, screen: str) -> None:
    room.desk.codex()
    room.desk.put("11-07-12")
    who = await room.who()
    room.desk.end()
    room.desk.show(screen)
    assert await room.all() == ()
    facts = await room.driver.farewell(who)
    assert (facts.alive.value, facts.ended_cleanly, facts.fault) == (False, True, None)


async def test_a_kill_is_a_crash(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-07-12")
    who = await room.who()
    room.desk.end()
    facts = await room.driver.farewell(who)
    assert not facts.ended_cleanly and facts.fault is not None and facts.fault.code == "crashed"
    assert facts.last_author == "assistant"


@pytest.mark.parametrize(("name", "crashed"), [("11-07-12", False), ("11-10-02", True)])
async def test_a_pane_that_was_closed_is_a_crash_only_in_the_middle_of_a_turn(
    room: Room, name: str, crashed: bool
) -> None:
    pane = room.desk.codex()
    room.desk.put(name)
    who = await room.who()
    room.desk.end()
    del room.desk.panes[pane], room.desk.screens[pane]
    facts = await room.driver.farewell(who)
    assert facts.ended_cleanly is not crashed


# --- pages ------------------------------------------------------------------------------------------------


async def test_items_are_found_in_any_known_profile(room: Room, tmp_path: Path) -> None:
    room.desk.codex()
    room.desk.put("11-07-12")
    await room.who()
    id = session_id(rollout("11-07-12"))
    page = await room.driver.items(id, str(tmp_path / "elsewhere"), limit=2)
    assert len(page.items) == 2 and page.before is not None
    older = await room.driver.items(id, str(tmp_path / "elsewhere"), before=page.before, limit=500)
    assert len(older.items) == 5
    assert (await room.driver.items(id, str(room.desk.home), after=page.after)).items == ()


async def test_an_unreadable_profile_is_a_problem_for_health(room: Room) -> None:
    room.desk.codex()
    home = room.desk.home
    await room.who()
    shutil.rmtree(home)
    home.write_text("not a folder")
    (problem,) = (await room.driver.find()).problems
    assert problem[0].startswith("codex_unreadable:") and str(home) in problem[1]
    home.unlink()
    home.mkdir()
    assert (await room.driver.find()).problems == ()


def test_reading_changes_no_file(room: Room) -> None:
    before = rollout("11-07-12").stat()
    copy = room.desk.put("11-07-12", open_in=None)
    shutil.copystat(rollout("11-07-12"), copy)
    assert copy.stat().st_mtime_ns == before.st_mtime_ns
