"""Each adapter of the model port with a server that a test scripts, behind one set of words."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import msgspec

from controlroom.hub.models.anthropic import AnthropicModel
from controlroom.hub.models.base import Model, NeedsLogin, NotPossible, RetryLater
from controlroom.hub.models.claude import ClaudeCommand
from controlroom.hub.models.openai import OpenAIModel
from controlroom.testing.fake_anthropic import FakeAnthropic, Text, api_error
from controlroom.testing.fake_chat import FakeChat
from controlroom.testing.fake_model import FakeModel
from controlroom.testing.model_script import Failure, Gate
from tests.support import claude_command

KEY = "sk-ant-oat01-" + "invented-token-for-tests-" * 3


class Heard(msgspec.Struct, frozen=True):
    """What arrived at the server."""

    instructions: str
    text: str
    login: str


class Stage(Protocol):
    """One adapter and its server. ``key`` may be taken away by a test."""

    model: Model
    needs_key: bool
    key: str | None
    names_pause: bool  # the adapter hears how long to wait

    def answer(self, text: str, gate: Gate | None = None) -> None: ...

    def fail(self, status: int, pause_s: int | None = None) -> None: ...

    def heard(self) -> list[Heard]: ...

    async def hang_up(self) -> None:
        """The server is gone."""


class _Keyed:
    names_pause = True

    def __init__(self, *, needs_key: bool) -> None:
        self.needs_key = needs_key
        self.key: str | None = KEY

    def read(self) -> str | None:
        return self.key


class AnthropicStage(_Keyed):
    def __init__(self, server: FakeAnthropic) -> None:
        super().__init__(needs_key=True)
        self.server = server
        self.model: Model = AnthropicModel("claude-haiku-4-5", server.url, self.read)

    def answer(self, text: str, gate: Gate | None = None) -> None:
        pieces = (Text(text),) if gate is None else (gate, Text(text))
        self.server.answer(*pieces, side=True)

    def fail(self, status: int, pause_s: int | None = None) -> None:
        failure = api_error(status, text=f"No, {KEY}!")
        headers = {} if pause_s is None else {"retry-after": str(pause_s)}
        self.server.fail(msgspec.structs.replace(failure, headers=headers), side=True)

    def heard(self) -> list[Heard]:
        return [Heard(one.system, one.text, one.login) for one in self.server.requests]

    async def hang_up(self) -> None:
        await self.server.aclose()


class ClaudeStage(AnthropicStage):
    names_pause = False

    def __init__(self, server: FakeAnthropic, folder: Path, programs: str) -> None:
        super().__init__(server)
        self.folder = folder
        environment = {**os.environ, "PATH": programs, "TMUX": "/tmp/x,1,0", "TMUX_PANE": "%0"}
        self.model = ClaudeCommand("haiku", "claude", folder, server.url, self.read, environment)


class ChatStage(_Keyed):
    def __init__(self, server: FakeChat) -> None:
        super().__init__(needs_key=False)
        self.server = server
        self.model: Model = OpenAIModel("local-model", server.url, self.read)

    def answer(self, text: str, gate: Gate | None = None) -> None:
        self.server.answer(text, gate=gate)

    def fail(self, status: int, pause_s: int | None = None) -> None:
        headers = {} if pause_s is None else {"retry-after": str(pause_s)}
        self.server.fail(Failure(status=status, body={"error": {"message": f"No, {KEY}!"}}, headers=headers))

    def heard(self) -> list[Heard]:
        return [Heard(one.system, one.text, one.login) for one in self.server.requests]

    async def hang_up(self) -> None:
        await self.server.aclose()


class FakeStage(_Keyed):
    def __init__(self) -> None:
        super().__init__(needs_key=False)
        self.fake = FakeModel()
        self.model: Model = self.fake

    def answer(self, text: str, gate: Gate | None = None) -> None:
        self.fake.gate = gate
        if text.strip():
            self.fake.answers.append(text)
        else:
            self.fake.answers.append(RetryLater("The model answered nothing."))

    def fail(self, status: int, pause_s: int | None = None) -> None:
        if status in (401, 403):
            self.fake.answers.append(NeedsLogin("No key."))
        elif status in (400, 404):
            self.fake.answers.append(NotPossible("No such model."))
        else:
            self.fake.answers.append(RetryLater("Busy.", pause_s))

    def heard(self) -> list[Heard]:
        return [Heard(one.instructions, one.text, KEY) for one in self.fake.requests]

    async def hang_up(self) -> None:
        self.fake.default = RetryLater("Away.")


@asynccontextmanager
async def anthropic(_folder: Path) -> AsyncIterator[Stage]:
    async with FakeAnthropic() as server:
        yield AnthropicStage(server)


@asynccontextmanager
async def openai(_folder: Path) -> AsyncIterator[Stage]:
    async with FakeChat() as server:
        yield ChatStage(server)


@asynccontextmanager
async def new_openai(_folder: Path) -> AsyncIterator[Stage]:
    async with FakeChat(is_new=True) as server:
        yield ChatStage(server)


@asynccontextmanager
async def claude(folder: Path) -> AsyncIterator[Stage]:
    programs = claude_command.install(folder / "bin")
    async with FakeAnthropic() as server:
        yield ClaudeStage(server, folder / "checker", f"{programs}:{os.environ['PATH']}")


@asynccontextmanager
async def fake(_folder: Path) -> AsyncIterator[Stage]:
    yield FakeStage()


STAGES: dict[str, Callable[[Path], object]] = {
    "anthropic": anthropic,
    "openai": openai,
    "new openai": new_openai,
    "claude": claude,
    "fake": fake,
}
