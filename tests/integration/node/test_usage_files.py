"""What agents used, counted from real transcripts: once, whatever copies there are, and by whose account."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controlroom.node.snapshot import SnapshotBoard
from controlroom.node.usage import status_lines
from controlroom.wire.codec import decode, encode
from controlroom.wire.node import Snapshot
from controlroom.wire.usage import UsageState
from tests.integration.node.usage_stage import HOUR, NOW, Desk, copied

FIXTURES = Path(__file__).parents[2] / "fixtures"
CLAUDE = FIXTURES / "claude" / "transcripts"
SESSION = "628fea9a-8b2b-4724-bc81-3070f92b7db5"


def put(source: Path, folder: Path) -> None:
    """A sample's transcripts, as they lie in a config folder."""
    for path in source.rglob("*.jsonl"):
        copied(path, folder / "projects" / "-home-dev-work" / path.relative_to(source))


def iso(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat().replace("+00:00", "Z")


def answer(name: str, *, session: str = "ses", output: int = 5, model: str = "claude-opus-5-5") -> str:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": output}
    message = {"id": name, "model": model, "usage": usage}
    row = {"type": "assistant", "timestamp": iso(NOW), "sessionId": session, "message": message}
    return json.dumps(row, separators=(",", ":")) + "\n"


def limit(at_ms: int, *, kind: str = "seven_day", resets_s: int = (NOW + 50 * HOUR) // 1000) -> str:
    quota = {"status": "rejected", "rateLimitType": kind, "resetsAt": resets_s, "isUsingOverage": True}
    message = {"id": "x", "model": "<synthetic>", "usage": {"input_tokens": 0}}
    row = {"type": "assistant", "timestamp": iso(at_ms), "message": message, "quotaLimits": quota}
    return json.dumps(row, separators=(",", ":")) + "\n"


def count(session: str, *, at_ms: int, used: float) -> str:
    limits = {
        "primary": {"used_percent": used, "window_minutes": 10080, "resets_at": (NOW + 90 * HOUR) // 1000}
    }
    payload = {"type": "token_count", "info": None, "rate_limits": limits}
    return json.dumps({"timestamp": iso(at_ms), "type": "event_msg", "payload": payload}) + "\n"


def meta(session: str, creator: str) -> str:
    payload = {"id": session, "creator_account_id": creator}
    return json.dumps({"timestamp": iso(NOW), "type": "session_meta", "payload": payload}) + "\n"


def rollout(home: Path, session: str) -> Path:
    path = home / "sessions" / "2026" / "11" / "30" / f"rollout-2026-11-30T00-00-00-{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


THREAD = "01a22c30-49dd-7a21-a6ac-b35be0007dbc"


@pytest.fixture
def quiet(desk: Desk) -> Desk:
    """Its service is never asked."""
    (desk.folder / "work" / ".credentials.json").unlink()
    return desk


async def test_a_session_that_lies_in_two_folders_is_counted_once(quiet: Desk) -> None:
    put(CLAUDE / "subagents", quiet.folder / "work")
    quiet.claude("home", account="a-2", login=False)
    await quiet.restart()
    await quiet.look()
    first = (await quiet.rows("model"))["claude-opus-5-5"]
    put(CLAUDE / "subagents", quiet.folder / "home")
    await quiet.look(30)
    assert (await quiet.rows("model"))["claude-opus-5-5"] == first
    put(CLAUDE / "moved-and-resumed", quiet.folder / "home")
    await quiet.look(30)
    moved = (await quiet.rows("model"))["claude-opus-5-5"]
    assert moved.answers > first.answers
    by_profile = await quiet.rows("profile")
    assert by_profile[quiet.profile("work").id].answers == first.answers
    assert sum(row.answers for row in by_profile.values()) == moved.answers


async def test_what_is_read_twice_counts_once_and_what_is_appended_counts(quiet: Desk) -> None:
    path = quiet.folder / "work" / "projects" / "p" / "ses.jsonl"
    path.parent.mkdir()
    path.write_text(answer("m1", output=1) + answer("m1", output=7) + answer("m2")[:-20])
    await quiet.look()
    assert (await quiet.rows("model"))["claude-opus-5-5"].output_tokens == 7
    path.write_text(answer("m1", output=1) + answer("m1", output=7) + answer("m2") + answer("m1", output=9))
    await quiet.look(30)
    row = (await quiet.rows("model"))["claude-opus-5-5"]
    assert (row.answers, row.output_tokens) == (2, 14)
    await quiet.restart()
    await quiet.look(30)
    assert (await quiet.rows("model"))["claude-opus-5-5"] == row


async def test_a_file_that_was_replaced_is_read_again_and_counts_nothing_twice(quiet: Desk) -> None:
    path = quiet.folder / "work" / "projects" / "p" / "ses.jsonl"
    path.parent.mkdir()
    path.write_text(answer("m1") + answer("m2"))
    await quiet.look()
    fresh = path.with_suffix(".new")
    fresh.write_text(answer("m2") + answer("m3"))
    fresh.replace(path)
    await quiet.look(30)
    assert (await quiet.rows("day"))[iso(NOW)[:10]].answers == 3


async def test_use_is_told_by_agent_day_model_and_profile_with_what_has_no_price(quiet: Desk) -> None:
    path = quiet.folder / "work" / "projects" / "p" / "ses.jsonl"
    path.parent.mkdir()
    path.write_text(answer("m1") + answer("m2", session="other", model="local-llama"))
    quiet.sessions = {"ses": "agt_1"}
    await quiet.look()
    assert {key: row.answers for key, row in (await quiet.rows("agent")).items()} == {"agt_1": 1, "": 1}
    report = await quiet.part.report("model")
    assert report.unpriced == ("local-llama",)
    costs = {row.key: row.cost_usd for row in report.rows}
    assert costs["local-llama"] is None
    assert costs["claude-opus-5-5"] == pytest.approx((10 * 4 + 100 * 0.2 + 5 * 20) / 1e6)
    (day,) = (await quiet.rows("day")).values()
    assert day.partly_priced


async def test_damaged_rows_and_files_hide_nothing_else(quiet: Desk) -> None:
    folder = quiet.folder / "work" / "projects" / "p"
    folder.mkdir()
    (folder / "ses.jsonl").write_text('{"type":"assistant","usage"\n' + answer("m1") + "\x00\xff\n")
    (folder / "closed.jsonl").write_text(answer("m2"))
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")
    await quiet.look()
    assert (await quiet.rows("model"))["claude-opus-5-5"].answers == 2


async def test_a_reached_limit_is_known_without_asking_anybody(quiet: Desk) -> None:
    path = quiet.folder / "work" / "projects" / "p" / "ses.jsonl"
    path.parent.mkdir()
    path.write_text(limit(NOW - HOUR))
    state = await quiet.look()
    week = quiet.windows()["week"]
    assert (week.used_pct, week.source, week.taken_at_ms) == (100.0, "transcript", NOW - HOUR)
    assert state.accounts[0].paid is not None
    assert state.accounts[0].paid.is_in_use


async def test_a_limit_that_a_copied_session_brings_along_is_not_the_new_accounts(quiet: Desk) -> None:
    path = quiet.folder / "work" / "projects" / "p" / "ses.jsonl"
    path.parent.mkdir()
    path.write_text(limit(NOW - HOUR))
    await quiet.look()
    home = quiet.claude("home", account="a-2", login=False)
    copied(path, home / "projects" / "p" / "ses.jsonl")
    await quiet.restart()
    state = await quiet.look(30)
    assert len(state.accounts) == 2
    assert {reading.account_id for reading in state.readings} == {quiet.profile("work").account_id}
    with (home / "projects" / "p" / "ses.jsonl").open("a") as file:
        file.write(limit(NOW, kind="five_hour"))
    state = await quiet.look(30)
    whose = {reading.length_minutes: reading.account_id for reading in state.readings}
    assert whose == {10_080: quiet.profile("work").account_id, 300: quiet.profile("home").account_id}


async def test_codex_limits_are_those_of_the_account_that_wrote_them(quiet: Desk) -> None:
    """After a move the file holds rows of both accounts (codex.md section 9)."""
    one, two = quiet.codex("one"), quiet.codex("two", account="acct-2")
    await quiet.restart()
    path = rollout(one, THREAD)
    path.write_text(meta(THREAD, "acct-1") + count(THREAD, at_ms=NOW - HOUR, used=90))
    await quiet.look()
    copied(path, rollout(two, THREAD))
    state = await quiet.look(30)
    assert {r.account_id for r in state.readings} == {quiet.profile("one").account_id}
    with rollout(two, THREAD).open("a") as file:
        file.write(count(THREAD, at_ms=NOW, used=4))
    state = await quiet.look(30)
    used = {reading.account_id: reading.used_pct for reading in state.readings}
    assert used == {quiet.profile("one").account_id: 90.0, quiet.profile("two").account_id: 4.0}
    # Moved back: what it brings along was the other one's.
    path.unlink()
    copied(rollout(two, THREAD), path)
    state = await quiet.look(30)
    assert {reading.account_id: reading.used_pct for reading in state.readings} == used


async def test_a_session_that_was_moved_before_we_looked_says_nothing_about_its_new_account(
    quiet: Desk,
) -> None:
    home = quiet.codex("two", account="acct-2")
    path = rollout(home, THREAD)
    path.write_text(meta(THREAD, "acct-1") + count(THREAD, at_ms=NOW - HOUR, used=90))
    await quiet.restart()
    assert (await quiet.look()).readings == ()
    with path.open("a") as file:
        file.write(count(THREAD, at_ms=NOW, used=4))
    assert [reading.used_pct for reading in (await quiet.look(30)).readings] == [4.0]


async def test_a_folder_that_somebody_else_signed_in_to_keeps_the_readings_apart(quiet: Desk) -> None:
    home = quiet.codex("one")
    path = rollout(home, THREAD)
    path.write_text(meta(THREAD, "") + count(THREAD, at_ms=NOW - HOUR, used=90))
    await quiet.restart()
    await quiet.look()
    first = quiet.profile("one").account_id
    quiet.codex("one", account="acct-2")
    with path.open("a") as file:
        file.write(count(THREAD, at_ms=NOW - 1000, used=91))  # written before the change, read after it
    state = await quiet.look(30)
    second = quiet.profile("one").account_id
    assert first != second
    assert second not in {reading.account_id for reading in state.readings}


async def test_null_rate_limits_of_the_newest_rollout_leave_the_older_reading(quiet: Desk) -> None:
    home = quiet.codex("one")
    rollout(home, THREAD).write_text(meta(THREAD, "acct-1") + count(THREAD, at_ms=NOW - HOUR, used=12))
    other = THREAD.replace("01a22c30", "01a22c31")
    payload = {"type": "token_count", "info": None, "rate_limits": None}
    null = json.dumps({"timestamp": iso(NOW), "type": "event_msg", "payload": payload}) + "\n"
    rollout(home, other).write_text(meta(other, "acct-1") + null)
    await quiet.restart()
    await quiet.look()
    week = quiet.windows()["week"]
    assert (week.used_pct, week.taken_at_ms, week.state) == (12.0, NOW - HOUR, "stale")


async def test_a_status_line_is_a_reading_of_when_its_numbers_were_new(quiet: Desk) -> None:
    data = json.loads((FIXTURES / "usage" / "statusline-input-subscription.json").read_text())
    spool, folder = quiet.folder / "status-lines", str(quiet.folder / "work")
    assert status_lines.keep(spool, folder, json.dumps(data).encode(), NOW - HOUR)
    assert status_lines.keep(spool, folder, json.dumps(data).encode(), NOW)  # drawn again: nothing is newer
    state = await quiet.look()
    assert {r.taken_at_ms for r in state.readings} == {NOW - HOUR}
    assert quiet.windows()["5 hours"].source == "status_line"
    data["rate_limits"]["five_hour"]["used_percentage"] = 34
    assert status_lines.keep(spool, folder, json.dumps(data).encode(), NOW)
    await quiet.look()
    assert quiet.windows()["5 hours"].used_pct == 34.0
    assert all(os.stat(path).st_mode & 0o077 == 0 for path in [spool, *spool.iterdir()])


async def test_a_status_line_without_limits_leaves_nothing(quiet: Desk) -> None:
    data = (FIXTURES / "usage" / "statusline-input-apikey.json").read_bytes()
    assert not status_lines.keep(quiet.folder / "status-lines", str(quiet.folder / "work"), data, NOW)
    assert not (quiet.folder / "status-lines").exists()


async def test_a_long_reading_says_how_far_it_is(quiet: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from controlroom.node.usage import files, part, scan

    monkeypatch.setattr(files, "PIECE_BYTES", 1000)
    monkeypatch.setattr(scan, "PIECE_BYTES", 1000)
    monkeypatch.setattr(part, "SAY_S", 0.0)
    folder = quiet.folder / "work" / "projects" / "p"
    folder.mkdir()
    for number in range(3):
        rows = "".join(answer(f"m{number}-{row}") for row in range(20))
        (folder / f"ses{number}.jsonl").write_text(rows)
    state = await quiet.look()
    told = [said.reading for said in quiet.said if said.reading is not None]
    assert len(told) > 9
    assert [one.done for one in told] == sorted(one.done for one in told)
    assert state.reading is None
    assert (await quiet.rows("model"))["claude-opus-5-5"].answers == 60


async def test_a_folder_that_its_last_agent_has_left_stays_known(desk: Desk) -> None:
    """Else nothing could be moved back to it."""
    folder = desk.claude("far")
    desk.named.clear()
    desk.living = [("claude", str(folder))]
    await desk.restart()
    assert [profile.folder for profile in (await desk.look()).profiles] == [str(folder)]
    desk.living = []
    await desk.restart()
    assert [profile.folder for profile in (await desk.look()).profiles] == [str(folder)]


async def test_a_machine_says_once_that_it_has_no_profiles_and_nothing_before(desk: Desk) -> None:
    board = SnapshotBoard("boot", desk.clock)
    await board.publish((), ())
    assert board.current.usage is None, "what it told before stands"
    desk.named.clear()
    await desk.restart()
    await desk.look()
    await desk.look()
    assert desk.said == [UsageState()]
    await board.publish_usage(desk.said[0])
    told = decode(encode(board.current), Snapshot)
    assert (told.usage, told.rev) == (UsageState(), 2)
