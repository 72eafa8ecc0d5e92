"""What ``controlroom doctor --herdr`` does at a real server: each call that the adapter uses, once.

The report names versions, fields and times, and nothing that a person wrote or a program showed: it is made
to be pasted. One tab is opened for it and closed again; nothing else is touched.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal

import msgspec

from controlroom.core.text import clean_line
from controlroom.kit.clock import Clock
from controlroom.node.mux.herdr import protocol
from controlroom.node.mux.herdr.client import Lost, Nobody, Refused, Shut, call, events
from controlroom.node.mux.herdr.link import lives, read

LABEL = "controlroom-check"
TYPED = " echo controlroom-$((6*7))"  # what is typed does not hold what is printed
PRINTED = "controlroom-42"
PROMPT_S = 15.0  # slow start-up files
PRINT_S = 5.0
EVENTS_S = 1.0
LOOK_EVERY_S = 0.2

_PANE = frozenset(
    {
        *("pane_id", "terminal_id", "workspace_id", "tab_id", "focused", "agent_status", "agent", "label"),
        *(
            "cwd",
            "foreground_cwd",
            "terminal_title",
            "terminal_title_stripped",
            "scroll",
            "revision",
            "title",
        ),
        *("display_agent", "state_labels", "tokens", "agent_session"),
    }
)
_AGENT = (_PANE - {"label", "scroll"}) | {
    *("name", "state_change_seq", "launch_pending", "interactive_ready", "screen_detection_skipped"),
}
_NEEDED = frozenset({"pane_id", "terminal_id", "workspace_id", "tab_id", "agent_status"})
_Trouble = (Nobody, Shut, Lost, Refused)


class Finding(msgspec.Struct, frozen=True):
    """One line of the report. ``note`` is what differs from what we know and does no harm by itself."""

    name: str
    state: Literal["ok", "note", "wrong"]
    text: str


class SelfCheck:
    """One check of one server. ``run`` never raises for what the server does."""

    def __init__(self, path: str, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._found: list[Finding] = []

    async def run(self) -> list[Finding]:
        for check in (self._ping, self._snapshot, self._events, self._scratch):
            try:
                if not await check():
                    break
            except _Trouble as error:
                is_first = check == self._ping
                is_left = is_first and isinstance(error, Nobody)  # a killed server leaves its socket
                self._say(check.__name__.strip("_"), "note" if is_left else "wrong", _told(error))
                if is_first:
                    break  # whatever is there is no Herdr, or takes no more calls
        return self._found

    def _say(self, name: str, state: Literal["ok", "note", "wrong"], text: str) -> None:
        self._found.append(Finding(name, state, text))

    async def _ask(self, method: str, asked: Mapping[str, object]) -> tuple[msgspec.Raw, float]:
        began = self._clock.monotonic()
        raw = await call(self._path, method, asked)
        return raw, (self._clock.monotonic() - began) * 1000

    async def _ping(self) -> bool:
        raw, took = await self._ask("ping", {})
        pong = read(protocol.parse_pong, raw)
        can = sorted(str(name) for name in _object(raw).get("capabilities", {}))
        text = f"version {clean_line(pong.version, 40)}, protocol {pong.protocol}, {took:.0f} ms"
        self._say("ping", "ok", f"{text}; capabilities: {clean_line(', '.join(can), 300) or 'none'}")
        if pong.protocol < protocol.OLDEST:
            self._say("protocol", "wrong", f"{protocol.OLDEST} (0.7.5) or newer is needed")
            return False
        return True

    async def _snapshot(self) -> bool:
        raw, took = await self._ask("session.snapshot", {})
        snapshot = read(protocol.parse_snapshot, raw)
        body = _object(raw).get("snapshot", {})
        size = len(bytes(raw))
        self._say(
            "snapshot",
            "ok" if not snapshot.skipped else "note",
            f"{len(snapshot.workspaces)} workspaces, {len(snapshot.tabs)} tabs, {len(snapshot.panes)} panes,"
            f" {len(snapshot.agents)} agents; {size} bytes, {took:.0f} ms; {snapshot.skipped} rows not read",
        )
        self._fields("fields of panes", body.get("panes"), _PANE, _NEEDED)
        self._fields("fields of agents", body.get("agents"), _AGENT, _NEEDED | {"state_change_seq"})
        strange = sum(not protocol.is_pane_id(pane.pane_id) for pane in snapshot.panes)
        unplaced = sum(pane.pane_id not in snapshot.sizes for pane in snapshot.panes)
        states = sorted({agent.agent_status for agent in snapshot.agents.values()})
        is_known = set(states) <= {"idle", "working", "blocked", "done", "unknown"}
        self._say(
            "panes",
            "ok" if not strange and not unplaced and is_known else "note",
            f"{strange} ids of another form, {unplaced} without a size; statuses:"
            f" {clean_line(', '.join(states), 200) or 'none'}",
        )
        return True

    def _fields(self, name: str, rows: Any, known: Iterable[str], needed: Iterable[str]) -> None:
        """Which names the rows have that we do not know, and which they lack."""
        objects = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        if not objects:
            self._say(name, "note", "none to look at")
            return
        new = sorted({str(key) for row in objects for key in row} - set(known))
        missing = sorted({key for row in objects for key in needed if key not in row})
        text = f"new: {clean_line(', '.join(new), 300) or 'none'}; missing: {', '.join(missing) or 'none'}"
        self._say(name, "wrong" if missing else "note" if new else "ok", text)

    async def _events(self) -> bool:
        names: list[str] = []
        began = self._clock.monotonic()
        async with events(self._path, protocol.subscriptions(())) as heard:
            took = (self._clock.monotonic() - began) * 1000
            with suppress(TimeoutError):
                async with asyncio.timeout(EVENTS_S):
                    async for name in heard:
                        names.append(name)
        kinds = clean_line(", ".join(sorted(set(names))), 200)
        text = f"subscribed in {took:.0f} ms; {len(names)} events in the first second"
        self._say("events", "ok", f"{text}: {kinds}" if names else text)
        return True

    # --- a scratch pane ---

    async def _scratch(self) -> bool:
        """Open a tab, read it, type into it, name it, close it."""
        snapshot = read(protocol.parse_snapshot, (await self._ask("session.snapshot", {}))[0])
        wanted: dict[str, object] = {"label": LABEL, "env": {"CONTROLROOM_CHECK": "1"}, "focus": False}
        if snapshot.workspaces:
            wanted["workspace_id"] = next(iter(snapshot.workspaces))
        method = "tab.create" if snapshot.workspaces else "workspace.create"
        raw, took = await self._ask(method, wanted)
        pane = read(protocol.parse_created, raw)
        self._say("new tab", "ok", f"{method} in {took:.0f} ms")
        try:
            await self._look_at(pane)
        finally:
            await self._ask("pane.close", {"pane_id": pane.pane_id})
            after = read(protocol.parse_snapshot, (await self._ask("session.snapshot", {}))[0])
            is_gone = all(each.pane_id != pane.pane_id for each in after.panes)
            self._say("close", "ok" if is_gone else "wrong", "closed" if is_gone else "it is still listed")
        return True

    async def _look_at(self, pane: protocol.PaneInfo) -> None:
        at = {"pane_id": pane.pane_id}
        now = read(protocol.parse_pane, (await self._ask("pane.get", at))[0])
        self._say(
            "terminal id",
            "ok" if now.terminal_id == pane.terminal_id else "wrong",
            "the same in both answers" if now.terminal_id == pane.terminal_id else "differs between answers",
        )
        await self._shell(at)
        await self._read_screen(at, now)
        await self._type(at)
        await self._ask("pane.rename", {**at, "label": f"{LABEL}-2"})
        label = read(protocol.parse_pane, (await self._ask("pane.get", at))[0]).label
        is_named = label == f"{LABEL}-2"
        self._say(
            "rename", "ok" if is_named else "wrong", "the label" if is_named else "the label did not change"
        )

    async def _shell(self, at: Mapping[str, object]) -> None:
        """Its process is one of this machine, and gets to its prompt."""
        began = self._clock.monotonic()
        while True:
            info = read(protocol.parse_processes, (await self._ask("pane.process_info", at))[0])
            waited = self._clock.monotonic() - began
            is_shell = info.shell_pid is not None and info.foreground_process_group_id == info.shell_pid
            if is_shell or waited > PROMPT_S:
                break
            await asyncio.sleep(LOOK_EVERY_S)
        is_here = lives(info)
        text = (
            f"shell {'here' if is_here else 'not on this machine'}, tty {'known' if info.tty else 'unknown'}"
        )
        self._say("processes", "ok" if is_here else "wrong", text)
        said = (
            f"in the foreground after {waited:.1f} s"
            if is_shell
            else f"not in the foreground in {PROMPT_S:g} s"
        )
        self._say("shell", "ok" if is_shell else "note", said)

    async def _read_screen(self, at: Mapping[str, object], now: protocol.PaneInfo) -> None:
        for source in ("visible", "detection"):
            asked = {**at, "source": source, "format": "ansi", "strip_ansi": False}
            try:
                raw, took = await self._ask("pane.read", asked)
            except Refused as error:
                self._say(f"read {source}", "wrong", _told(error))
                continue
            got = read(protocol.parse_read, raw)
            rows = got.text.count("\n") + 1
            height = now.scroll.viewport_rows if now.scroll is not None else 0
            is_known = got.revision == 0 and (source == "detection" or rows - height in (0, 1))
            text = f"{rows} rows of {height}, revision {got.revision}, {took:.0f} ms"
            self._say(f"read {source}", "ok" if is_known else "note", text)

    async def _type(self, at: Mapping[str, object]) -> None:
        await self._ask("pane.send_input", {**at, "text": TYPED})
        await self._ask("pane.send_keys", {**at, "keys": ["enter"]})
        began = self._clock.monotonic()
        while (waited := self._clock.monotonic() - began) < PRINT_S:
            raw, _ = await self._ask("pane.read", {**at, "source": "visible"})
            if PRINTED in read(protocol.parse_read, raw).text:
                self._say("typing", "ok", f"text and Enter had their effect after {waited:.1f} s")
                return
            await asyncio.sleep(LOOK_EVERY_S)
        self._say("typing", "note", f"no effect in {PRINT_S:g} s; some shells cannot do what was typed")


def _object(raw: msgspec.Raw) -> dict[str, Any]:
    """An answer as it is, for the names in it."""
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _told(error: Exception) -> str:
    if isinstance(error, Nobody):
        return "no server"
    if isinstance(error, Refused):
        return f"refused: {clean_line(error.code, 80)}"
    return clean_line(str(error), 120)
