"""A usage limit that real Claude Code meets holds its account, and the policy moves it to another one."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import AsyncIterator

import pytest

from controlroom.testing.fake_anthropic import FakeAnthropic, Text, usage_limit
from tests.real.conftest import Desk
from tests.real.support.claude import TOKEN, ClaudeProfile
from tests.real.support.room import Room
from tests.support.waiting import until

WEEK_S, DAY_S = 6 * 24 * 3600, 24 * 3600
MOVED_S = 180.0  # a look at the files every half minute, and two real programs on a busy machine


def signed_in(profile: ClaudeProfile, name: str) -> None:
    """What a login leaves; its key is invented, and the programs get theirs from a variable."""
    path = profile.folder / ".claude.json"
    account = {
        "accountUuid": f"acc-{name}",
        "organizationUuid": "org-invented",
        "emailAddress": f"{name}@example.com",
    }
    path.write_text(json.dumps(json.loads(path.read_text()) | {"oauthAccount": account}))
    login = {"accessToken": TOKEN, "refreshToken": "", "expiresAt": int(time.time() + DAY_S) * 1000}
    (profile.folder / ".credentials.json").write_text(json.dumps({"claudeAiOauth": login}))


@pytest.fixture
async def spare(desk: Desk, claude_model: FakeAnthropic) -> ClaudeProfile:
    """Another account's profile."""
    profile = ClaudeProfile(desk.home / ".claude-spare", claude_model.url, login="token")
    profile.trust(desk.work_folder("orchard"))
    signed_in(profile, "lee")
    return profile


@pytest.fixture
async def room(desk: Desk, spare: ClaudeProfile) -> AsyncIterator[Room]:
    """A control room that may move agents, and asks nobody but their files."""
    room = Room(desk.path, desk.home, desk.folder.path)
    room.data.mkdir(mode=0o700)
    (room.data / "config.toml").write_text(
        f"[usage]\nendpoint = false\n[policy]\nautomatic = [{json.dumps(socket.gethostname())}]\n"
    )
    try:
        await room.start()
        yield room
    finally:
        await room.aclose()


@pytest.mark.timeout(400)
async def test_a_reached_limit_leads_to_a_hold_and_a_move(
    desk: Desk, room: Room, spare: ClaudeProfile, claude_model: FakeAnthropic
) -> None:
    now_s = int(time.time())
    has_enough = {
        "session_id": "s",
        "transcript_path": str(spare.folder / "projects" / "-srv" / "s.jsonl"),
        "rate_limits": {
            "five_hour": {"used_percentage": 10, "resets_at": now_s + 7_200},
            "seven_day": {"used_percentage": 30, "resets_at": now_s + WEEK_S},
        },
    }
    await room.run("statusline", stdin=json.dumps(has_enough))
    claude_model.answer(Text("Good morning."), match="hello")
    claude_model.fail(usage_limit(now_s + WEEK_S, "seven_day"), match="go on")
    claude_model.answer(Text("The pears are ripe."), match="what of the pears")
    claude = await desk.claude(login="token", start=False)
    signed_in(claude.profile, "kim")
    await claude.start()
    await claude.say("hello")
    await claude.pane.until_text("Good morning.")
    await claude.until_status("idle")
    before = await room.until(claude.pane, lambda agent: agent.finished and agent.activity == "idle")
    await claude.say("go on")
    await claude.pane.until_text("weekly limit")

    async def is_there() -> bool:
        found = next((one for one in await room.agents() if one.id == before.id), None)
        return found is not None and (found.profile, found.activity) == (str(spare.folder), "idle")

    try:
        await until(is_there, "it is in the other profile", within_s=MOVED_S)
    except AssertionError as error:
        said = (await room.run("policy", "explain"))[0] + (await room.run("operations"))[0]
        raise AssertionError(f"{said}\n{claude.pane.text()}") from error
    after = await room.until_activity(before.id, "idle")
    assert (after.session_id, after.chat_id, after.name) == (before.session_id, before.chat_id, before.name)
    async with room.hub() as hub:
        accounts = {account.name: account for account in await hub.accounts()}
        (move,) = (await hub.operations()).operations
        receipts = [(one.by, one.text) for one in (await hub.receipts()).receipts if one.what == "move"]
    assert accounts["kim@example.com"].hold is not None
    assert (move.by, move.kind) == ("policy", "move")
    assert move.why.startswith("It was seen at its limit")
    assert {by for by, _ in receipts} == {"policy"}
    assert not any("@" in text for _, text in receipts)
    message = await room.send(before.id, "what of the pears")
    await room.until_message(message, lambda message: message.state == "delivered")
    await room.until_said(before.id, "The pears are ripe.")
