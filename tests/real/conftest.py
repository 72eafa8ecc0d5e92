"""Fixtures: model servers, and a desk with real agents in panes of a private tmux server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import pytest

from controlroom.testing.fake_anthropic import FakeAnthropic
from controlroom.testing.fake_openai import FakeOpenAI
from tests.real.leftovers import MARK, end_leftovers
from tests.real.support.claude import Claude, ClaudeProfile
from tests.real.support.codex import Codex, CodexHome
from tests.real.support.pane import Pane
from tests.real.support.room import Room
from tests.support.tmux import TmuxFolder, TmuxServer


def pytest_configure(config: pytest.Config) -> None:
    if MARK not in os.environ:
        raise pytest.UsageError('these tests need the real agent programs: run them with "make test-real"')


@pytest.fixture
async def claude_model() -> AsyncIterator[FakeAnthropic]:
    async with FakeAnthropic() as server:
        yield server


@pytest.fixture
async def codex_model() -> AsyncIterator[FakeOpenAI]:
    async with FakeOpenAI() as server:
        yield server


class Desk:
    """A person's place: a home, folders to work in, a tmux server, and agents in its panes."""

    def __init__(self, folder: TmuxFolder, claude_model: FakeAnthropic, codex_model: FakeOpenAI) -> None:
        self.path = folder.path
        self.home = folder.path / "home"
        self.home.mkdir(mode=0o700)
        self.folder = folder
        self.tmux: TmuxServer = folder.server()
        self._claude_model = claude_model
        self._codex_model = codex_model
        self._profiles = 0

    def work_folder(self, name: str) -> Path:
        path = self.path / "work" / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    async def pane(self, environment: dict[str, str] | None = None, folder: str = "orchard") -> Pane:
        """A new pane with a shell."""
        pane = Pane(self.tmux, self.work_folder(folder), self.home)
        await pane.open(environment or {})
        return pane

    async def claude(
        self,
        *arguments: str,
        login: Literal["key", "token"] = "key",
        folder: str = "orchard",
        settings: dict[str, object] | None = None,
        mode: str = "manual",
        start: bool = True,
    ) -> Claude:
        """A Claude Code with a new profile in a new pane, at its prompt unless told not to start it."""
        self._profiles += 1
        profile = ClaudeProfile(self.path / f"claude-{self._profiles}", self._claude_model.url, login=login)
        profile.trust(self.work_folder(folder))
        if settings:
            profile.settings(**settings)
        claude = Claude(await self.pane(profile.environment, folder), profile)
        if start:
            await claude.start(*arguments, mode=mode)
        return claude

    async def codex(self, *arguments: str, folder: str = "orchard", start: bool = True) -> Codex:
        """A Codex with a new home in a new pane."""
        self._profiles += 1
        home = CodexHome(self.path / f"codex-{self._profiles}", self._codex_model.url)
        home.trust(self.work_folder(folder))
        codex = Codex(await self.pane(home.environment, folder), home)
        if start:
            await codex.start(*arguments)
        return codex

    def screens(self) -> str:
        """What every pane shows."""
        if not self.tmux.is_alive():
            return "no tmux server runs"
        panes = self.tmux.run("list-panes", "-a", "-F", "#{pane_id}").split()
        return "\n".join(f"--- pane {pane}\n{self.tmux.text(pane)}" for pane in panes)

    def close(self) -> None:
        """End all that runs here; agents write into their folders until they have ended."""
        self.folder.aclose()
        end_leftovers("HOME", str(self.home))


@pytest.fixture
async def desk(
    tmux_folder: TmuxFolder, claude_model: FakeAnthropic, codex_model: FakeOpenAI
) -> AsyncIterator[Desk]:
    desk = Desk(tmux_folder, claude_model, codex_model)
    try:
        yield desk
        print(desk.screens())  # pytest shows it with a test that failed
    finally:
        desk.close()


@pytest.fixture
async def room(desk: Desk) -> AsyncIterator[Room]:
    """A running control room that sees the desk's tmux servers."""
    room = Room(desk.path, desk.home, desk.folder.path)
    try:
        await room.start()
        yield room
    finally:
        await room.aclose()
