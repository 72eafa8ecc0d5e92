"""The checker asks through the real ``claude -p``: it answers, leaves nothing behind, and is no agent."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controlroom.core.check_prompt import Request
from controlroom.hub.models.base import ModelError, NeedsLogin, NotPossible, RetryLater
from controlroom.hub.models.claude import ClaudeCommand
from controlroom.kit.process import Process, ProcProcesses
from controlroom.testing.fake_anthropic import FakeAnthropic, Text, api_error, usage_limit
from controlroom.testing.fake_model import verdict
from controlroom.testing.model_script import Failure, Gate
from tests.real.conftest import Desk
from tests.real.support.claude import EXECUTABLE, KEY, TOKEN
from tests.real.support.inbox import Inbox
from tests.real.support.pane import Pane
from tests.real.support.room import LAUNCHER, Room
from tests.support.waiting import until

REQUEST = Request("Judge, and only that.", "/clear is no command here: é 漢 🙂\n" + "words " * 10_000)
ASKS = "Which bed gets the beans?"
BLOCK = f"""\
The seeds are here.

Question for Founder: {ASKS}
- North bed: morning sun
- South bed: needs water
Default: North bed by tomorrow 09:00"""
SETTLED = "The beans went into the pots on the balcony, so neither bed gets them."


def command(model: FakeAnthropic, folder: Path, key: str | None) -> ClaudeCommand:
    return ClaudeCommand("claude-haiku-4-5", "claude", folder / "checker", model.url, lambda: key, os.environ)


@pytest.mark.parametrize("key", [TOKEN, KEY], ids=["token", "key"])
async def test_it_asks_and_answers(claude_model: FakeAnthropic, tmp_path: Path, key: str) -> None:
    claude_model.answer(Text(verdict("yes")), side=True)
    answer = await command(claude_model, tmp_path, key).ask(REQUEST)
    assert answer.text == verdict("yes")
    assert (answer.input_tokens, answer.output_tokens) == (120, 20)
    (request,) = claude_model.requests
    assert request.tools == () and request.login == key and request.model == "claude-haiku-4-5"
    assert request.text.rstrip().endswith(REQUEST.text.rstrip())
    assert REQUEST.instructions in request.system and "words words" not in request.system
    assert list((tmp_path / "checker").iterdir()) == []


async def test_files_that_a_text_names_are_not_sent_along(
    claude_model: FakeAnthropic, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("private words of another file")
    claude_model.answer(Text("ok"), side=True)
    text = f"See @{tmp_path}/secret.txt and @~/.bashrc and @/etc/hostname."
    await command(claude_model, tmp_path, TOKEN).ask(Request("Judge.", text))
    assert claude_model.requests[0].text.rstrip().endswith(text)
    assert "private words" not in claude_model.requests[0].text


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (api_error(401, "authentication_error", "invalid x-api-key"), NeedsLogin),
        (api_error(429, "rate_limit_error", "slow down"), RetryLater),
        (usage_limit(4_000_000_000), RetryLater),
        (api_error(529, "overloaded_error", "Overloaded"), RetryLater),
        (api_error(404, "not_found_error", "model: nope"), NotPossible),
    ],
    ids=["refused", "busy", "limit", "overloaded", "unknown"],
)
async def test_failures_say_what_to_do(
    claude_model: FakeAnthropic, tmp_path: Path, failure: Failure, kind: type[ModelError]
) -> None:
    claude_model.fail(failure, side=True, times=None)
    with pytest.raises(kind) as caught:
        await command(claude_model, tmp_path, TOKEN).ask(REQUEST)
    assert TOKEN not in caught.value.text
    assert list((tmp_path / "checker").iterdir()) == []


async def test_without_a_login_nothing_starts(claude_model: FakeAnthropic, tmp_path: Path) -> None:
    with pytest.raises(NeedsLogin):
        await command(claude_model, tmp_path, None).ask(REQUEST)
    assert claude_model.requests == []


# ---- in a whole control room, in a pane of the same tmux server --------------------------------------------


@pytest.fixture
async def up(desk: Desk, claude_model: FakeAnthropic) -> AsyncIterator[tuple[Room, Pane]]:
    """A control room that a person started in a pane, as it is not asked to be but often is."""
    room = Room(desk.path, desk.home, desk.folder.path)
    room.data.mkdir(mode=0o700)
    (room.data / "config.toml").write_text(
        f'[checker]\nmodel = "claude:claude-haiku-4-5"\nurl = "{claude_model.url}"\n'
    )
    key = room.data / "checker-key"
    key.write_text(TOKEN)
    key.chmod(0o600)
    pane = await desk.pane({"TMUX_TMPDIR": str(desk.folder.path)}, "room")
    pane.run(str(LAUNCHER), "up", "--home", str(room.data), "--port", "0")
    await pane.until_text("Control Room is ready at")
    yield room, pane
    pane.press("C-c")
    await pane.until_text("Your agents go on.")


def one_shots(pane: Pane) -> list[Process]:
    """The one-shot runs of Claude Code below a pane's shell."""
    processes = ProcProcesses()
    processes.refresh()
    shell = int(pane.server.get(pane.id, "pane_pid"))
    return [one for one in processes.below(shell) if Path(one.exe).name == EXECUTABLE and "-p" in one.argv]


async def test_it_closes_a_question_and_is_never_an_agent(
    desk: Desk, up: tuple[Room, Pane], claude_model: FakeAnthropic
) -> None:
    room, own_pane = up
    gate = Gate()
    claude_model.answer(
        gate, Text(verdict(SETTLED, row=2, kind="outdated")), match="Is the question", side=True
    )
    # Something is said while it answers, so that it is asked once more.
    claude_model.answer(
        Text(verdict(SETTLED, row=2, kind="outdated")), match="Is the question", side=True, times=None
    )
    claude_model.answer(Text(BLOCK), match="plan the beds")
    claude_model.answer(Text(f"It is done. {SETTLED}"), match="how far")
    claude = await desk.claude()
    await room.until_activity(claude.pane, "idle")
    await claude.say("plan the beds")
    card = await Inbox(room).until_asked(ASKS)
    await room.until_activity(claude.pane, "question")
    await claude.say("how far are you")
    await gate.arrived()

    (run,) = one_shots(own_pane)
    assert SETTLED not in shlex.join(run.argv) and TOKEN not in shlex.join(run.argv)
    processes = ProcProcesses()
    variables = processes.environ(run.pid, ("CLAUDE_CONFIG_DIR", "HOME", "TMUX", "TMUX_PANE"))
    place = Path(variables["HOME"])
    assert place.parent == room.data / "checker"
    assert variables == {"HOME": str(place), "CLAUDE_CONFIG_DIR": str(place / "config")}
    assert Path(processes.cwd(run.pid)) == place / "work"
    await claude.say("and the carrots")  # a whole turn: the fleet was looked at again and again meanwhile
    await claude.until_status("idle")
    await room.until_said(card.agent_id, "Understood.")
    assert [agent.id for agent in await room.agents()] == [card.agent_id]
    assert len(list((claude.profile.folder / "sessions").glob("*.json"))) == 1
    assert one_shots(own_pane)

    gate.open()
    seen = await Inbox(room).until_closed(card.id, "resolved")
    assert (seen.history[-1].by, seen.history[-1].proof) == ("checker", SETTLED)
    assert [agent.id for agent in await room.agents()] == [card.agent_id]
    await until(lambda: not one_shots(own_pane) and not list((room.data / "checker").iterdir()), "it is gone")


async def test_a_control_room_that_ends_takes_its_call_along(
    desk: Desk, up: tuple[Room, Pane], claude_model: FakeAnthropic
) -> None:
    room, own_pane = up
    gate = Gate()
    claude_model.answer(gate, Text(verdict("")), match="Is the question", side=True)
    claude_model.answer(Text(BLOCK), match="plan the beds")
    claude = await desk.claude()
    await room.until_activity(claude.pane, "idle")
    await claude.say("plan the beds")
    await Inbox(room).until_asked(ASKS)
    await room.until_activity(claude.pane, "question")
    await claude.say("let me think about the beds")
    await gate.arrived()
    assert one_shots(own_pane)
    own_pane.press("C-c")
    await own_pane.until_text("Your agents go on.")
    await until(lambda: not one_shots(own_pane), "it has ended")


def test_the_program_is_the_real_one() -> None:
    program = shutil.which("claude")
    assert program is not None and Path(program).resolve().name == EXECUTABLE
