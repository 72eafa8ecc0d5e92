"""What the real programs leave behind about limits and tokens, as a control room beside them tells it."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path

from controlroom.testing.fake_anthropic import FakeAnthropic, Text, usage_limit
from controlroom.testing.fake_openai import FakeOpenAI
from controlroom.wire.usage import Account, AccountWindow
from tests.real.conftest import Desk
from tests.real.support.claude import ClaudeProfile
from tests.real.support.room import LAUNCHER, Room
from tests.support.waiting import until

READ_S = 120.0  # files are looked at every half minute; the machine may be busy
WEEK_S, HOURS_S = 6 * 24 * 3600, 2 * 3600


def signed_in(profile: ClaudeProfile) -> None:
    """The identity that a login leaves; the login itself is a variable of the test's."""
    path = profile.folder / ".claude.json"
    state = json.loads(path.read_text())
    state["oauthAccount"] = {
        "accountUuid": "acc-invented",
        "organizationUuid": "org-invented",
        "emailAddress": "kim@example.com",
    }
    path.write_text(json.dumps(state))


async def until_window(room: Room, name: str, source: str) -> tuple[Account, AccountWindow]:
    """The account whose window comes from this source, as soon as it is known."""

    async def known() -> tuple[Account, AccountWindow] | None:
        async with room.hub() as hub:
            for account in await hub.accounts():
                for window in account.windows:
                    if (window.name, window.source) == (name, source):
                        return account, window
        return None

    return await until(known, f"{name} from {source}", within_s=READ_S)


async def test_a_status_line_in_front_of_the_persons_own_tells_what_is_left(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    now = int(time.time())
    claude_model.headers = {
        "anthropic-ratelimit-unified-status": "allowed",
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "anthropic-ratelimit-unified-5h-status": "allowed",
        "anthropic-ratelimit-unified-5h-utilization": "0.42",
        "anthropic-ratelimit-unified-5h-reset": str(now + HOURS_S),
        "anthropic-ratelimit-unified-7d-status": "allowed",
        "anthropic-ratelimit-unified-7d-utilization": "0.07",
        "anthropic-ratelimit-unified-7d-reset": str(now + WEEK_S),
    }
    claude_model.answer(Text("Apples are ripe."), match="ripe")
    own = "cat >/dev/null; echo beds-are-dry"
    line = shlex.join([str(LAUNCHER), "--home", str(room.data), "statusline", "--", own])
    claude = await desk.claude(
        login="token", settings={"statusLine": {"type": "command", "command": line}}, start=False
    )
    signed_in(claude.profile)
    await claude.start()
    await claude.say("Are they ripe?")
    await claude.pane.until_text("Apples are ripe.", "beds-are-dry")
    account, window = await until_window(room, "5 hours", "status_line")
    assert account.name == "kim@example.com"
    assert window.used_pct == 42.0
    assert window.resets_at_ms == (now + HOURS_S) * 1000
    assert {one.name: one.used_pct for one in account.windows} == {"5 hours": 42.0, "week": 7.0}
    assert account.hold is None


async def test_a_reached_limit_holds_the_account_and_answers_are_counted_once(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    resets_s = int(time.time()) + WEEK_S
    claude_model.answer(Text("Apples are ripe."), match="ripe")
    claude_model.fail(usage_limit(resets_s, "seven_day"), match="go on")
    claude = await desk.claude(login="token", start=False)
    signed_in(claude.profile)
    await claude.start()
    await claude.say("Are they ripe?")
    await claude.pane.until_text("Apples are ripe.")
    await claude.until_status("idle")
    await claude.say("go on")
    await claude.pane.until_text("weekly limit")
    account, window = await until_window(room, "week", "transcript")
    assert (window.used_pct, window.resets_at_ms) == (100.0, resets_s * 1000)
    assert account.hold is not None
    assert account.hold.until_ms == resets_s * 1000
    agent = await room.agent_in(claude.pane)
    assert agent is not None
    async with room.hub() as hub:
        rows = {row.key: row for row in (await hub.usage("agent")).rows}
    answers = {
        row["message"]["id"]
        for row in claude.rows()
        if row.get("type") == "assistant" and row["message"]["model"] != "<synthetic>"
    }
    assert rows[agent.id].answers == len(answers) >= 1


async def test_rate_limits_of_rollouts_are_the_accounts_of_their_home(
    desk: Desk, room: Room, codex_model: FakeOpenAI
) -> None:
    codex = await desk.codex(start=False)
    path = codex.home.sign_in("acct-invented")
    await codex.start()
    before = contents(path)
    await codex.say("say apples are ripe")
    account, window = await until_window(room, "week", "rollout")
    assert (account.kind, account.name, account.plan) == ("codex", "kim@example.com", "plus")
    assert window.used_pct is not None
    assert contents(path) == before


def contents(path: Path) -> tuple[bytes, int]:
    return path.read_bytes(), path.stat().st_mtime_ns
