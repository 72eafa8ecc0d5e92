"""The terminal channel on one socket (relay contract section 10): messages in, answers out."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from controlroom.core.terminal import (
    CAP_REACHED,
    Reason,
    SocketSessions,
    check_name,
    default_name,
    read_size,
)
from controlroom.core.text import clean_line
from controlroom.gateway.channels import Link
from controlroom.gateway.terminal.mirror import MirrorSession
from controlroom.gateway.terminal.session import NOT_ANY_MORE, RIGHT, CannotAttach, Session
from controlroom.gateway.terminal.shell import ShellSession
from controlroom.gateway.terminal.tmux import TmuxFailed
from controlroom.kit.clock import new_uuid
from controlroom.kit.supervise import Tasks
from controlroom.wire.relay import Envelope

if TYPE_CHECKING:
    from controlroom.gateway.terminal.part import Terminals

KILLED_S: Final = 2.0  # tmux sends a client away within milliseconds when its session ends
TOLD: Final[tuple[Reason, ...]] = ("server shutdown", "grant expired")  # the socket still hears these
GOOD_BYE_S: Final = 1.5  # for last words to a socket that reads slowly


class TerminalChannel:
    """``gateway.channels.Channel``."""

    name = "terminal"
    right: str | None = RIGHT

    def __init__(self, terminals: Terminals) -> None:
        self._terminals = terminals

    async def open(self, link: Link) -> TerminalHandler:
        return TerminalHandler(link, self._terminals)


class TerminalHandler:
    """The sessions of one socket; its messages come one at a time."""

    def __init__(self, link: Link, terminals: Terminals) -> None:
        self._link = link
        self._terminals = terminals
        self._table = SocketSessions()
        self._sessions: dict[str, Session] = {}
        self._pumps: dict[str, asyncio.Task[None]] = {}
        self._tasks = Tasks(f"terminal:{link.id}")

    async def receive(self, message: Envelope) -> None:
        try:
            match message.type:
                case "terminal.attach":
                    await self._attach(message)
                case "terminal.input":
                    await self._input(message)
                case "terminal.resize":
                    await self._resize(message)
                case "terminal.detach":
                    await self._detach(message)
                case "terminal.kill":
                    await self._kill(message)
                case "terminal.list":
                    await self._list(message)
                case unknown:
                    kind = clean_line(unknown, 80)
                    await self._error(message, f"Unknown terminal message type: {kind}")
        except (ValueError, CannotAttach, TmuxFailed) as error:
            await self._error(message, str(error))

    async def aclose(self, reason: str) -> None:
        """Let go of all terminals; shells in tmux go on."""
        told: Reason | None = next((one for one in TOLD if one == reason), None)
        sessions, pumps = tuple(self._sessions.values()), tuple(self._pumps.values())
        if told == "grant expired" and sessions:
            await self._link.system_error(NOT_ANY_MORE)
        ends = [
            self._terminals.start_task("end", session.end(told or "client detach", say=told is not None))
            for session in sessions
        ]
        if pumps:
            await asyncio.wait(pumps, timeout=GOOD_BYE_S)
        await self._tasks.aclose()
        for session in sessions:
            self._remove(session)
        if ends:
            await asyncio.wait(ends)

    # --- messages ---

    async def _attach(self, message: Envelope) -> None:
        said = message.payload.get("session_name")
        name = check_name(said) if said not in (None, "") else default_name(new_uuid())
        plan = self._table.plan(name)
        if plan == "full":
            raise CannotAttach(CAP_REACHED)
        size = read_size(message.payload.get("cols"), message.payload.get("rows"))
        if plan == "again":
            self._table = self._table.attached(name)
            self._sessions[name].resize(size)
            await self._attached(message, self._sessions[name], reattach=True)
            return
        agent_id = await self._terminals.agent_of(name)
        if agent_id is not None:
            mirror = await self._terminals.open_mirror(self._link, name, agent_id)
            self._add(mirror)
            await self._attached(message, mirror, reattach=False)
        else:
            opened = await self._terminals.open_shell(self._link, name, message.payload.get("shell"), size)
            self._add(opened.session)
            is_new = opened.replay is None
            more = {} if is_new else {"replay": opened.replay}
            await self._attached(message, opened.session, reattach=not is_new, **more)
        session = self._sessions[name]
        self._pumps[name] = self._tasks.start(f"pump:{name}", self._pump(session))

    async def _input(self, message: Envelope) -> None:
        session, data = self._meant(message), message.payload.get("data")
        if session is None or not isinstance(data, str):
            return
        if (refusal := await session.type(data)) is not None:
            await self._error(message, refusal, name=session.name)

    async def _resize(self, message: Envelope) -> None:
        session = self._meant(message)
        if session is None:
            return
        if not session.resize(read_size(message.payload.get("cols"), message.payload.get("rows"))):
            await self._attached(message, session, reattach=True)

    async def _detach(self, message: Envelope) -> None:
        if (session := self._meant(message)) is not None:
            await self._end(session, "client detach")

    async def _kill(self, message: Envelope) -> None:
        session = self._meant(message)
        said = message.payload.get("session_name")
        if session is None and said in (None, ""):
            raise CannotAttach("No session is attached.")
        name = check_name(said) if session is None else session.name
        if isinstance(session, MirrorSession) or await self._terminals.agent_of(name) is not None:
            await self._refuse_kill(name, "An agent's pane is not ended over the terminal channel.")
            return
        # A task of its own: the desktop client closes its socket right behind the message.
        if not await asyncio.shield(self._terminals.start_task("kill", self._terminals.kill(name))):
            await self._refuse_kill(name, f"no tmux session named {clean_line(name, 80)}")
        elif session is None:
            await self._link.send("terminal.detached", {"session_name": name, "reason": "client kill"})
        elif (pump := self._pumps.get(name)) is not None:
            await asyncio.wait({pump}, timeout=KILLED_S)
            await self._end(session, "client kill")

    async def _refuse_kill(self, name: str, text: str) -> None:
        answer = {"session_name": name, "reason": "client kill", "message": text}
        await self._link.send("terminal.error", answer)  # with a fresh id, as the contract has it

    async def _list(self, message: Envelope) -> None:
        rows = [self._row_of(name) for name in self._table.names] if not self._terminals.has_tmux else []
        for one in await self._terminals.list():
            shown = self._held(one.tmux_name) or self._terminals.shown(one.tmux_name)
            row: dict[str, object] = {
                "name": one.name,
                "tmux_name": one.tmux_name,
                "attached": one.attached,
                "windows": one.windows,
                "created_at": one.created_at,
                "shell": self._terminals.default_shell if shown is None else shown.shell,
                "live": shown is not None,
                "owned_by_client": self._held(one.tmux_name) is not None,
            }
            if shown is not None:
                row["pid"] = shown.pid
            rows.append(row)
        answer = {"sessions": rows, "tmux_available": self._terminals.has_tmux}
        await self._link.send("terminal.sessions", answer, id=message.id or None)

    # --- sessions ---

    def _meant(self, message: Envelope) -> Session | None:
        name = self._table.meant(message.payload.get("session_name"))
        return None if name is None else self._sessions[name]

    def _held(self, tmux_name: str) -> ShellSession | None:
        for session in self._sessions.values():
            if isinstance(session, ShellSession) and session.tmux_name == tmux_name:
                return session
        return None

    def _row_of(self, name: str) -> dict[str, object]:
        described = self._sessions[name].described()
        return {
            "name": name,
            "pid": described["pid"],
            "shell": described["shell"],
            "live": True,
            "owned_by_client": True,
        }

    def _add(self, session: Session) -> None:
        self._sessions[session.name] = session
        self._table = self._table.attached(session.name)

    async def _pump(self, session: Session) -> None:
        try:
            await session.pump()
        finally:
            self._remove(session)

    def _remove(self, session: Session) -> None:
        if self._sessions.get(session.name) is session:
            del self._sessions[session.name]
            self._pumps.pop(session.name, None)
            self._table = self._table.without(session.name)
        if isinstance(session, ShellSession):
            self._terminals.forget(session)

    async def _end(self, session: Session, reason: Reason) -> None:
        pump = self._pumps.get(session.name)
        await asyncio.shield(self._terminals.start_task("end", session.end(reason)))
        if pump is not None:
            await asyncio.wait({pump})

    async def _attached(self, message: Envelope, session: Session, *, reattach: bool, **more: object) -> None:
        payload: Mapping[str, object] = {
            "session_name": session.name,
            **session.described(),
            "reattach": reattach,
            **more,
        }
        await self._link.send("terminal.attached", payload, id=message.id or None)

    async def _error(self, message: Envelope, text: str, name: str | None = None) -> None:
        """``session_name`` is there whenever it is known: the Android app shows no error without it."""
        said = message.payload.get("session_name")
        shown = name if name is not None else said if isinstance(said, str) else None
        payload = {"message": text} if shown is None else {"message": text, "session_name": shown[:200]}
        await self._link.send("terminal.error", payload, id=message.id or None)
