"""A real control room as a subprocess, driven through its command line and its Unix socket."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from controlroom.client import CannotReach, HubClient
from controlroom.kit.clock import new_id
from controlroom.wire.client import AnswerDialog, Interrupt, SendMessage
from controlroom.wire.model import Agent, Item, Message
from tests.real.leftovers import MARK
from tests.real.support.pane import AGENT_S, Pane
from tests.support.waiting import until

ROOT = Path(__file__).parents[3]
LAUNCHER = ROOT / "controlroom"
READY = "Control Room is ready at http://localhost:"
START_S = 90.0
COMMAND_S = 180.0  # one command line on a busy machine, with --wait
MOMENT_S = 120.0  # from the start until one moment of a move: a program ends or comes up before some


class CommandFailed(AssertionError):
    """A command left with another exit status than expected. ``said`` is its standard error."""


class Room:
    """``controlroom up`` on a data folder of its own; may be killed and started again."""

    def __init__(self, folder: Path, home: Path, tmux_folder: Path) -> None:
        self.data = folder / "room"
        self.output = folder / "room.out"
        self._process: asyncio.subprocess.Process | None = None
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "TMUX_TMPDIR": str(tmux_folder),
            MARK: os.environ.get(MARK, ""),
        }

    # ---- its life --------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start it and wait until it says that it accepts requests."""
        self._process = await self._spawn(str(LAUNCHER))
        await until(self._is_ready, f"{READY}… in {self.output}", within_s=START_S)

    async def live_until(self, moment: str) -> None:
        """Start it and wait until it has been killed (SIGKILL) at this moment of a move under way."""
        self._process = await self._spawn(
            sys.executable, "-m", "tests.real.support.move_victim", moment, cwd=ROOT
        )
        try:
            async with asyncio.timeout(MOMENT_S):
                status = await self._process.wait()
        except TimeoutError:
            raise AssertionError(f"{moment}: never came\n{self._said()}") from None
        assert status == -signal.SIGKILL, f"{moment}: ended with {status}\n{self._said()}"

    async def _spawn(self, *program: str, cwd: Path | None = None) -> asyncio.subprocess.Process:
        with self.output.open("wb") as output:
            return await asyncio.create_subprocess_exec(
                *program,
                *("up", "--home", str(self.data), "--port", "0"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                env=self._environment,
                cwd=cwd,
            )

    def _said(self) -> str:
        return self.output.read_text(errors="replace")

    def _is_ready(self) -> bool:
        said = self._said()
        assert self._process is not None
        assert self._process.returncode is None, f"the control room ended at once:\n{said}"
        return READY in said

    async def kill(self) -> None:
        """``kill -9``."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        await self._process.wait()

    async def aclose(self) -> None:
        """End it as Ctrl-C does; a control room that was killed is no error."""
        if self._process is None or self._process.returncode is not None:
            return
        self._process.send_signal(signal.SIGINT)
        print(self._said())  # pytest shows it with a test that failed
        try:
            async with asyncio.timeout(START_S):
                await self._process.wait()
        except TimeoutError:
            await self.kill()
            raise AssertionError("the control room does not end on Ctrl-C") from None
        said = self._said()
        assert "Traceback" not in said, said

    # ---- its command line ------------------------------------------------------------------------------

    async def run(self, *arguments: str, expect: int = 0, stdin: str | None = None) -> tuple[str, str]:
        """(output, error output) of one command; it must leave with the exit status ``expect``."""
        process = await asyncio.create_subprocess_exec(
            str(LAUNCHER),
            *("--home", str(self.data)),
            *arguments,
            stdin=asyncio.subprocess.PIPE if stdin is not None else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._environment,
        )
        async with asyncio.timeout(COMMAND_S):
            out, err = await process.communicate(stdin.encode() if stdin is not None else None)
        said = err.decode(errors="replace")
        assert "Traceback" not in said, said
        if process.returncode != expect:
            words = said or out.decode(errors="replace")
            raise CommandFailed(f"controlroom {arguments[:2]} left with {process.returncode}: {words}")
        return out.decode(), said

    async def json(self, *arguments: str, stdin: str | None = None) -> Any:
        """What a command prints with ``--json``."""
        return json.loads((await self.run(*arguments, "--json", stdin=stdin))[0])

    async def refusal(self, *arguments: str) -> str:
        """The code with which a command is refused."""
        _, said = await self.run(*arguments, "--json", expect=1)
        return str(json.loads(said)["code"])

    # ---- its socket ------------------------------------------------------------------------------------

    def hub(self) -> HubClient:
        """``async with room.hub() as hub``: typed calls."""
        return HubClient(self.data / "control.sock")

    async def agents(self) -> tuple[Agent, ...]:
        async with self.hub() as hub:
            return (await hub.fleet()).agents

    async def agent_in(self, pane: Pane) -> Agent | None:
        """The agent that the fleet shows in this pane; a gone one only when no other has followed it."""
        found = [
            agent
            for agent in await self.agents()
            if agent.pane is not None and agent.pane.id == pane.id and pane.server.path in agent.pane.server
        ]
        found.sort(key=lambda agent: agent.activity == "gone")
        return found[0] if found else None

    async def until(
        self, pane_or_id: Pane | str, reached: Callable[[Agent], object], what: str = ""
    ) -> Agent:
        """The agent (of a pane, or by id) as soon as ``reached`` is true of it."""
        seen: list[Agent] = []

        async def look() -> Agent | None:
            agent = (
                await self.agent_in(pane_or_id)
                if isinstance(pane_or_id, Pane)
                else next((found for found in await self.agents() if found.id == pane_or_id), None)
            )
            if agent is None:
                return None
            seen[:] = [agent]
            return agent if reached(agent) else None

        try:
            agent = await until(look, within_s=AGENT_S)
        except AssertionError as error:
            screen = pane_or_id.text() if isinstance(pane_or_id, Pane) else ""
            raise AssertionError(f"{what or 'not reached'}; last seen: {seen}\n{screen}") from error
        assert agent is not None
        return agent

    async def until_activity(self, pane_or_id: Pane | str, activity: str) -> Agent:
        return await self.until(pane_or_id, lambda agent: agent.activity == activity, f"not {activity}")

    async def until_session(self, pane: Pane, session_id: str) -> Agent:
        """The agent of a pane as soon as it is idle in this session."""
        return await self.until(
            pane,
            lambda agent: agent.activity == "idle" and agent.session_id == session_id,
            f"not idle in session {session_id}",
        )

    async def chat(self, agent_id: str) -> tuple[Item, ...]:
        async with self.hub() as hub:
            return (await hub.agent_items(agent_id, limit=200)).items

    async def until_said(self, agent_id: str, text: str, kind: str = "assistant") -> Item:
        """The chat item of this kind that contains ``text``."""

        async def look() -> Item | None:
            items = await self.chat(agent_id)
            return next((item for item in items if item.kind == kind and text in (item.text or "")), None)

        item = await until(look, f"{kind}: {text}", within_s=AGENT_S)
        assert item is not None
        return item

    async def send(
        self, agent_id: str, text: str, *, message_id: str = "", when: str = "idle", on_draft: str = "wait"
    ) -> str:
        """Hand over a message through the socket; its id."""
        message = SendMessage(
            id=message_id or new_id("msg"),
            text=text,
            when=when,  # type: ignore[arg-type]  # a literal of the caller
            on_draft=on_draft,  # type: ignore[arg-type]
        )
        async with self.hub() as hub:
            await hub.send(agent_id, message)
        return message.id

    async def message(self, message_id: str) -> Message:
        async with self.hub() as hub:
            return await hub.message(message_id)

    async def until_message(
        self, message_id: str, reached: Callable[[Message], object], within_s: float = AGENT_S
    ) -> Message:
        """The message as soon as ``reached`` is true of it; a control room that is away is waited for."""
        seen: list[Message] = []

        async def look() -> Message | None:
            try:
                message = await self.message(message_id)
            except CannotReach:
                return None
            seen[:] = [message]
            return message if reached(message) else None

        try:
            message = await until(look, within_s=within_s)
        except AssertionError as error:
            raise AssertionError(f"message not as wanted; last seen: {seen}") from error
        assert message is not None
        return message

    async def answer(
        self, agent_id: str, waiting_id: str, option: str | None = None, text: str | None = None
    ) -> str:
        """Answer a dialog; the state that the hub gives the act."""
        request = AnswerDialog(request_id=new_id("req"), waiting_id=waiting_id, option=option, text=text)
        async with self.hub() as hub:
            return (await hub.answer(agent_id, request)).state

    async def interrupt(self, agent_id: str) -> None:
        async with self.hub() as hub:
            await hub.interrupt(agent_id, Interrupt(request_id=new_id("req")))


def held(message: Message) -> str:
    """Why a message waits; "" when it does not."""
    return message.held.code if message.state == "accepted" and message.held else ""
