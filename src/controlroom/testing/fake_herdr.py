"""A Herdr server for tests: a real socket, sessions without programs, and each trap of the real one.

Written from what is known of the protocol (17 to 22), not from a server that was seen: see
``docs/how-to/herdr.md``. It runs on the loop of the test. Every attribute may be set at any time.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from controlroom.testing.fake_herdr_socket import Call, FakeError, FakeHerdrSocket

_BYTES = {
    "enter": "\r",
    "return": "\r",
    "esc": "\x1b",
    "escape": "\x1b",
    "tab": "\t",
    "space": " ",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
}


class FakeHerdrPane:
    """One pane. Subclasses may bring a real terminal: ``shown``, ``write`` and ``close``."""

    def __init__(self, pane_id: str, terminal_id: str, workspace: str, tab: str, pid: int) -> None:
        self.pane_id = pane_id
        self.terminal_id = terminal_id
        self.workspace = workspace
        self.tab = tab
        self.shell_pid: int | None = pid
        self.foreground: int | None = pid
        self.tty = f"/dev/pts/{pid}"
        self.label: str | None = None
        self.cwd = "/home/ada"
        self.title = ""
        self.agent: str | None = None
        self.name: str | None = None
        self.status = "unknown"
        self.seq = 0
        self.width, self.height = 80, 24
        self.rows: list[str] = []
        self.history: list[str] = []
        self.scrolled = 0
        self.bracketed = False
        self.env: dict[str, str] = {}
        self.received: list[bytes] = []
        self.shell_looks = 0  # so many looks until a new shell is at its prompt
        self.on_typed: Callable[[bytes], None] = lambda _: None

    async def shown(self, source: str, format: str, lines: int) -> str:
        """Rows as this source gives them: plain text loses blanks and styles."""
        screen = (self.rows + [""] * self.height)[: self.height]
        whole = self.history + screen
        if source == "visible" and self.scrolled:
            end = max(len(whole) - self.scrolled, self.height)
            screen = whole[end - self.height : end]
        if source.startswith("recent"):
            screen = whole[-lines:]
        if format == "ansi" and source != "detection":
            return "\n".join(screen)
        plain = [_plain(row).rstrip() for row in screen]
        while plain and not plain[-1]:
            plain.pop()
        return "\n".join(plain)

    async def write(self, data: bytes) -> None:
        self.received.append(data)
        self.on_typed(data)

    async def close(self) -> None:
        """It is removed."""


class FakeHerdr:
    """One session's server. ``start`` listens, ``stop`` ends it; started again, it is another life."""

    def __init__(self, path: Path, *, protocol: int = 20, version: str = "0.8.2") -> None:
        self.path = path
        self.protocol = protocol
        self.version = version
        self.workspaces: dict[str, str] = {}
        self.tabs: dict[str, tuple[str, str]] = {}  # workspace and label
        self.panes: dict[str, FakeHerdrPane] = {}
        self.focused: list[str] = []
        self.tabs_opened = 0
        self.more_fields: dict[str, Any] = {}  # of each pane, as a later version may have them
        self.new_shell_looks = 1  # so many looks until the shell of a new tab is at its prompt
        self.answers_dialogs = False  # agent.prompt presses Enter on a dialog, as up to 0.8.0
        self._life = 0
        self._count = 0
        self._numbers: dict[str, itertools.count[int]] = {}
        self._pids = itertools.count(400_001)
        self.socket = FakeHerdrSocket(path, self._calls(), lambda pane_id: pane_id in self.panes)

    # --- life ---

    async def start(self) -> None:
        self._life += 1
        self._count = 0
        for pane in self.panes.values():  # as saved: same ids and labels, new terminals and shells
            pane.terminal_id = self._terminal()
            pane.shell_pid = pane.foreground = next(self._pids)
            pane.agent = pane.name = None
            pane.status, pane.env, pane.rows, pane.title = "unknown", {}, [], ""
        await self.socket.listen()

    async def stop(self, *, leave_socket: bool = False) -> None:
        await self.socket.close(leave_socket=leave_socket)

    # --- the session ---

    def add_workspace(self, label: str = "orchard") -> str:
        id = f"w{self._next('w')}"
        self.workspaces[id] = label
        return id

    def add_pane(
        self, workspace: str = "", *, label: str = "", width: int = 80, height: int = 24
    ) -> FakeHerdrPane:
        """A pane in a tab of its own."""
        workspace = workspace or next(iter(self.workspaces), "") or self.add_workspace()
        tab = f"{workspace}:t{self._next(workspace + ':t')}"
        self.tabs[tab] = (workspace, label or str(len(self.tabs) + 1))
        pane = self.make_pane(
            f"{workspace}:p{self._next(workspace + ':p')}", self._terminal(), workspace, tab, next(self._pids)
        )
        pane.width, pane.height = width, height
        self.panes[pane.pane_id] = pane
        self.socket.happened("pane.created", {"pane": self._pane(pane)})
        return pane

    def make_pane(self, pane_id: str, terminal: str, workspace: str, tab: str, pid: int) -> FakeHerdrPane:
        return FakeHerdrPane(pane_id, terminal, workspace, tab, pid)

    def drop_pane(self, pane: FakeHerdrPane, event: str = "pane.exited") -> None:
        """Its last process ended: the pane goes, with it its tab, with that its workspace."""
        del self.panes[pane.pane_id]
        del self.tabs[pane.tab]
        if not any(workspace == pane.workspace for workspace, _ in self.tabs.values()):
            del self.workspaces[pane.workspace]
        self.socket.happened(event, {"pane_id": pane.pane_id, "workspace_id": pane.workspace})

    def set_agent(self, pane: FakeHerdrPane, kind: str | None, status: str = "idle") -> None:
        was = pane.agent
        pane.agent, pane.status = kind, status if kind else "unknown"
        self._count += 1
        pane.seq = self._count
        if kind != was:
            self.socket.happened("pane.agent_detected", {"pane_id": pane.pane_id, "agent": kind})
        self.socket.happened(
            "pane.agent_status_changed", {"pane_id": pane.pane_id, "agent_status": pane.status, "agent": kind}
        )

    def _terminal(self) -> str:
        return f"term_{self._life:x}{self._next('term'):04x}"

    def _next(self, name: str) -> int:
        return next(self._numbers.setdefault(name, itertools.count(1)))

    # --- what it answers ---

    def _calls(self) -> dict[str, Call]:
        return {
            "ping": self._ping,
            "session.snapshot": self._snapshot,
            "pane.get": self._pane_get,
            "pane.process_info": self._process_info,
            "pane.read": self._pane_read,
            "pane.send_text": self._send_text,
            "pane.send_keys": self._send_keys,
            "pane.send_input": self._send_input,
            "agent.prompt": self._prompt,
            "tab.create": self._tab_create,
            "workspace.create": self._workspace_create,
            "pane.rename": self._pane_rename,
            "agent.rename": self._agent_rename,
            "pane.close": self._pane_close,
        }

    def _at(self, params: Mapping[str, Any], key: str = "pane_id") -> FakeHerdrPane:
        wanted = str(params[key])
        pane = self.panes.get(wanted)
        if pane is None and key == "target":
            pane = next((each for each in self.panes.values() if each.name == wanted), None)
        if pane is None or (key == "target" and pane.agent is None):
            raise FakeError("agent_not_found" if key == "target" else "pane_not_found")
        return pane

    def _pane(self, pane: FakeHerdrPane) -> dict[str, Any]:
        found: dict[str, Any] = {
            "pane_id": pane.pane_id,
            "terminal_id": pane.terminal_id,
            "workspace_id": pane.workspace,
            "tab_id": pane.tab,
            "focused": False,
            "agent_status": pane.status,
            "cwd": pane.cwd,
            "foreground_cwd": pane.cwd,
            "revision": 7,
            "scroll": {
                "offset_from_bottom": pane.scrolled,
                "max_offset_from_bottom": len(pane.history),
                "viewport_rows": pane.height,
            },
        }
        optional = {"label": pane.label, "agent": pane.agent, "terminal_title": pane.title or None}
        return found | {k: v for k, v in optional.items() if v is not None} | self.more_fields

    def _agent(self, pane: FakeHerdrPane) -> dict[str, Any]:
        found = {key: value for key, value in self._pane(pane).items() if key not in ("label", "scroll")}
        found |= {"state_change_seq": pane.seq, "interactive_ready": True}
        return found | ({"name": pane.name} if pane.name else {})

    async def _ping(self, _: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "pong",
            "version": self.version,
            "protocol": self.protocol,
            "capabilities": {"live_handoff": True, "detached_server_daemon": True},
        }

    async def _snapshot(self, _: dict[str, Any]) -> dict[str, Any]:
        rect = {"x": 0, "y": 0}
        return {
            "type": "session_snapshot",
            "snapshot": {
                "version": self.version,
                "protocol": self.protocol,
                "workspaces": [
                    {"workspace_id": id, "number": 1, "label": label, "focused": False, "pane_count": 1}
                    for id, label in self.workspaces.items()
                ],
                "tabs": [
                    {"tab_id": id, "workspace_id": workspace, "label": label, "focused": False}
                    for id, (workspace, label) in self.tabs.items()
                ],
                "panes": [self._pane(pane) for pane in self.panes.values()],
                "layouts": [
                    {
                        "workspace_id": pane.workspace,
                        "tab_id": pane.tab,
                        "zoomed": False,
                        "focused_pane_id": pane.pane_id,
                        "panes": [
                            {
                                "pane_id": pane.pane_id,
                                "focused": True,
                                "rect": rect | {"width": pane.width, "height": pane.height},
                            }
                        ],
                        "splits": [],
                    }
                    for pane in self.panes.values()
                ],
                "agents": [self._agent(pane) for pane in self.panes.values() if pane.agent],
            },
        }

    async def _pane_get(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"type": "pane_info", "pane": self._pane(self._at(params))}

    async def _process_info(self, params: dict[str, Any]) -> dict[str, Any]:
        pane = self._at(params)
        foreground = pane.foreground
        if pane.shell_looks:
            pane.shell_looks -= 1
            foreground = 1
        info = {
            "shell_pid": pane.shell_pid,
            "foreground_process_group_id": foreground,
            "tty": pane.tty,
            "foreground_processes": [{"pid": foreground, "name": pane.agent or "sh", "argv": ["sh"]}],
        }
        return {"type": "pane_process_info", "process_info": info}

    async def _pane_read(self, params: dict[str, Any]) -> dict[str, Any]:
        pane, source = self._at(params), str(params["source"])
        if source not in ("visible", "detection", "recent", "recent_unwrapped"):
            raise ValueError(source)
        format = str(params.get("format", "text"))
        lines = min(int(params.get("lines", 80)), 1000)
        read = {
            "pane_id": pane.pane_id,
            "workspace_id": pane.workspace,
            "tab_id": pane.tab,
            "source": source,
            "format": format,
            "text": await pane.shown(source, format, lines),
            "revision": 0,
            "truncated": False,
        }
        return {"type": "pane_read", "read": read}

    async def _send_text(self, params: dict[str, Any]) -> dict[str, Any]:
        await self._at(params).write(str(params["text"]).encode())
        return {"type": "ok"}

    async def _send_keys(self, params: dict[str, Any]) -> dict[str, Any]:
        pane = self._at(params)
        for data in [_key(str(key)) for key in params["keys"]]:
            await pane.write(data)
        return {"type": "ok"}

    async def _send_input(self, params: dict[str, Any]) -> dict[str, Any]:
        pane = self._at(params)
        text = str(params.get("text", "")).encode()
        if text and pane.bracketed:
            text = b"\x1b[200~" + text + b"\x1b[201~"
        await pane.write(text + b"".join(_key(str(key)) for key in params.get("keys", ())))
        return {"type": "ok"}

    async def _prompt(self, params: dict[str, Any]) -> dict[str, Any]:
        pane = self._at(params, "target")
        if pane.status == "blocked" and not self.answers_dialogs:
            raise FakeError("agent_blocked")
        await pane.write(str(params["text"]).encode() + b"\r")
        return {"type": "agent_prompted", "agent": self._agent(pane)}

    async def _tab_create(self, params: dict[str, Any]) -> dict[str, Any]:
        workspace = str(params.get("workspace_id") or next(iter(self.workspaces)))
        if workspace not in self.workspaces:
            raise FakeError("workspace_not_found")
        env = dict(params.get("env", {}))
        if any(not key or "=" in key or "\0" in key for key in env):
            raise FakeError("invalid_env")
        pane = self.add_pane(workspace, label=str(params.get("label", "")))
        pane.cwd, pane.env = str(params.get("cwd", pane.cwd)), env
        pane.rows, pane.shell_looks = ["$ "], self.new_shell_looks
        self.tabs_opened += 1
        if params.get("focus"):
            self.focused.append(pane.pane_id)
        tab = {"tab_id": pane.tab, "workspace_id": workspace, "label": self.tabs[pane.tab][1]}
        await self.opened(pane)
        return {"type": "tab_created", "tab": tab, "root_pane": self._pane(pane)}

    async def opened(self, pane: FakeHerdrPane) -> None:
        """For subclasses: a tab was opened by a call."""

    async def _workspace_create(self, params: dict[str, Any]) -> dict[str, Any]:
        workspace = self.add_workspace(str(params.get("label", "new")))
        made = await self._tab_create({**params, "workspace_id": workspace})
        return {**made, "type": "workspace_created", "workspace": {"workspace_id": workspace}}

    async def _pane_rename(self, params: dict[str, Any]) -> dict[str, Any]:
        pane = self._at(params)
        pane.label = str(params["label"] or "").strip() or None
        return {"type": "pane_info", "pane": self._pane(pane)}

    async def _agent_rename(self, params: dict[str, Any]) -> dict[str, Any]:
        pane, name = self._at(params, "target"), params["name"]
        if any(each.name == name for each in self.panes.values() if each is not pane):
            raise FakeError("agent_name_taken")
        pane.name = name
        return {"type": "agent_info", "agent": self._agent(pane)}

    async def _pane_close(self, params: dict[str, Any]) -> dict[str, Any]:
        pane = self._at(params)
        await pane.close()
        self.drop_pane(pane, "pane.closed")
        return {"type": "ok"}


def _key(word: str) -> bytes:
    """One key by Herdr's words."""
    if word in _BYTES:
        return _BYTES[word].encode()
    modifier, plus, base = word.partition("+")
    if plus and len(base) == 1 and modifier == "ctrl":
        return bytes([ord(base) & 0x1F])
    if plus and len(base) == 1 and modifier == "alt":
        return b"\x1b" + base.encode()
    if word.startswith("f") and word[1:].isdigit():
        return f"<{word}>".encode()
    if len(word) == 1:
        return word.encode()
    raise FakeError("invalid_key")


def _plain(row: str) -> str:
    """A row without its SGR codes."""
    parts = row.split("\x1b[")
    return parts[0] + "".join(part.partition("m")[2] for part in parts[1:])


def socket_of(folder: Path, name: str = "") -> Path:
    """Where Herdr has the socket of a session, in a config folder. Paths of sockets end at 107 bytes."""
    path = folder / "herdr" / ("sessions/" + name if name else "") / "herdr.sock"
    assert len(os.fsencode(path)) < 108, path
    return path
