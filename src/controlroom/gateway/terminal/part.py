"""The terminal channel as a part of the device door: what all sockets share of it.

Shells run in a tmux server of our own and belong to nobody's socket; here lies which sockets show which of
them now, so that a kill reaches all, and the ends of terminals that outlive their socket's tasks.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog
from aiohttp import web

from controlroom.core.terminal import (
    AGENT_PREFIX,
    Size,
    TmuxSession,
    choose_shell,
    tmux_name,
)
from controlroom.gateway.access import Access
from controlroom.gateway.channels import Channel, Link
from controlroom.gateway.ports import AgentPanes
from controlroom.gateway.terminal.channel import TerminalChannel
from controlroom.gateway.terminal.mirror import MirrorSession
from controlroom.gateway.terminal.pty import Pty
from controlroom.gateway.terminal.session import CannotAttach, Voice
from controlroom.gateway.terminal.shell import ShellSession
from controlroom.gateway.terminal.tmux import TerminalServer, TmuxFailed, server_name, shell_environment
from controlroom.kit.home import Home
from controlroom.kit.supervise import Tasks

_log = structlog.get_logger("terminal")
T = TypeVar("T")

MOST_TERMINALS: Final = 256  # of all sockets together: each is a process and a terminal of the system
AGAIN_S: Final = (0.05, 0.2)  # pauses before an attach that failed is tried again
FINISH_S: Final = 5.0  # kills and hang-ups that are under way when the service stops


class Opened:
    """A shell that was attached. ``replay`` None: it is a new one."""

    def __init__(self, session: ShellSession, replay: str | None) -> None:
        self.session = session
        self.replay = replay


class Terminals:
    """``gateway.channels.Part`` of the terminal channel. ``panes`` None: there are no agents' panes."""

    def __init__(self, *, home: Home, environment: Mapping[str, str], panes: AgentPanes | None) -> None:
        self._environment = shell_environment(environment)
        self._panes = panes
        self._tmux = TerminalServer(environment, server_name(home.path), home.path / "terminal" / "tmux.conf")
        self._live: dict[str, set[ShellSession]] = {}
        self._tasks = Tasks("terminal")

    # --- the part ---

    @property
    def capabilities(self) -> Sequence[str]:
        return ("terminal",)

    def channels(self) -> Sequence[Channel]:
        return (TerminalChannel(self),)

    def routes(self, access: Access) -> Sequence[web.RouteDef]:
        return ()

    def numbers(self) -> Mapping[str, int]:
        return {}

    async def start(self) -> None:
        try:
            self._tmux.configure()
        except OSError as error:  # sessions then have tmux's own defaults
            _log.warning("the terminal's configuration cannot be written", error=str(error.strerror))

    async def aclose(self) -> None:
        """Let kills and hang-ups finish. Shells in tmux go on."""
        try:
            async with asyncio.timeout(FINISH_S):
                await self._tasks.finished()
        except TimeoutError:
            _log.warning("a terminal did not end in time")
        await self._tasks.aclose()

    # --- what sockets ask of it ---

    @property
    def has_tmux(self) -> bool:
        return bool(self._tmux.program)

    @property
    def default_shell(self) -> str:
        return self._shell(None)

    def start_task(self, name: str, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run something that must finish even when the socket that asked for it goes."""
        return self._tasks.start(name, work)

    async def agent_of(self, name: str) -> str | None:
        """The agent whose pane ``name`` means, None for a shell. Raises CannotAttach: an agent's name that
        means no agent never becomes a shell."""
        agent_id = None if self._panes is None else await self._panes.find(name)
        if agent_id is None and name.startswith(AGENT_PREFIX):
            raise CannotAttach(f"There is no agent, or more than one, called {name[len(AGENT_PREFIX) :]!r}.")
        return agent_id

    async def open_mirror(self, link: Link, name: str, agent_id: str) -> MirrorSession:
        """Raises CannotAttach."""
        assert self._panes is not None, "agent_of has found one"
        by = f"device:{link.device.id}"
        voice = Voice(link, name)
        session = MirrorSession(
            voice=voice,
            name=name,
            agent_id=agent_id,
            by=by,
            panes=self._panes,
            has_tmux=self.has_tmux,
        )
        try:
            await session.start()
        except BaseException:
            self.start_task("close", session.end("pane gone", say=False))
            raise
        return session

    async def open_shell(self, link: Link, name: str, asked_shell: object, size: Size) -> Opened:
        """Enter the session ``name``, or make it. Raises CannotAttach, TmuxFailed."""
        if sum(len(sessions) for sessions in self._live.values()) >= MOST_TERMINALS:
            raise CannotAttach("Too many terminals are open.")
        for pause_s in AGAIN_S:
            try:
                return await self._open_shell(link, name, asked_shell, size)
            except CannotAttach:  # the server may be ending behind its last session
                if not self.has_tmux:
                    raise
                await asyncio.sleep(pause_s)
        return await self._open_shell(link, name, asked_shell, size)

    async def _open_shell(self, link: Link, name: str, asked_shell: object, size: Size) -> Opened:
        shell, default = self._shell(asked_shell), self._shell(None)
        session_name, replay = tmux_name(name), None
        arguments = [shell, "-l"]
        if has_tmux := self.has_tmux:
            if await self._tmux.has(session_name):
                replay = await self._tmux.replay(session_name)
            command = () if shell == default else (shell, "-l")
            arguments = self._tmux.attach_arguments(session_name, name, command)
        voice = Voice(link, name)
        session = ShellSession(
            voice=voice,
            name=name,
            tmux_name=session_name,
            shell=shell,
            size=size,
            pty=await self._spawn(arguments, name, default, size, voice, is_raw=has_tmux),
            lives=(lambda: self._lives(session_name)) if has_tmux else None,
        )
        self._live.setdefault(session_name, set()).add(session)
        try:
            await session.start()
        except BaseException:
            self.forget(session)
            self.start_task("close", session.end("eof", say=False))
            raise
        _log.info("a device opened a terminal", device=link.device.id, name=name, pid=session.pid)
        return Opened(session, replay)

    def forget(self, session: ShellSession) -> None:
        """It has ended."""
        sessions = self._live.get(session.tmux_name, set())
        sessions.discard(session)
        if not sessions:
            self._live.pop(session.tmux_name, None)

    async def kill(self, name: str) -> bool:
        """End the shell that clients call ``name``, wherever it is shown. False: there is none."""
        session_name = tmux_name(name)
        shown = tuple(self._live.get(session_name, ()))
        if not self.has_tmux:
            await asyncio.gather(*(session.end("client kill") for session in shown))
            return bool(shown)
        for session in shown:
            session.was_killed = True
        if await self._tmux.kill(session_name):
            return True
        for session in shown:
            session.was_killed = False
        return False

    async def list(self) -> tuple[TmuxSession, ...]:
        """All shells in tmux. Raises TmuxFailed."""
        return await self._tmux.sessions() if self.has_tmux else ()

    def shown(self, session_name: str) -> ShellSession | None:
        """A socket's terminal on this session of tmux, the same one as long as it lives."""
        return min(self._live.get(session_name, ()), key=lambda session: session.pid, default=None)

    def _shell(self, asked: object) -> str:
        own = self._environment
        candidates = (
            *((asked,) if isinstance(asked, str) else ()),
            own.get("RELAY_TERMINAL_SHELL", ""),
            own.get("SHELL", ""),
            "/bin/bash",
            "/bin/sh",
        )
        return choose_shell(candidates, lambda path: Path(path).is_file() and os.access(path, os.X_OK))

    async def _spawn(
        self, arguments: Sequence[str], name: str, shell: str, size: Size, voice: Voice, *, is_raw: bool
    ) -> Pty:
        environment = {
            **self._environment,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "HERMES_RELAY_TERMINAL": name,
            "SHELL": shell,  # what tmux starts when nobody says which
        }
        folder = self._environment.get("HOME", "/")
        try:
            return await Pty.spawn(
                arguments,
                environment,
                folder if Path(folder).is_dir() else "/",
                size,
                is_raw=is_raw,
                may_write=voice.may,
            )
        except OSError as error:
            raise CannotAttach(f"No terminal can be opened: {error.strerror}.") from None

    async def _lives(self, session_name: str) -> bool:
        try:
            return await self._tmux.has(session_name)
        except TmuxFailed:
            return False
