"""Benches for the contract suite of multiplexers: one for each implementation, and one for the fake.

A bench starts servers and panes the way a person would, prints into panes, and knows what the program in a
pane has received. The suite talks to ``mux`` (the implementation) and to the bench, to nothing else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest

from controlroom.core.screen import Cursor
from controlroom.kit.clock import Clock, SystemClock
from controlroom.node.mux.base import Multiplexer, Pane, PaneRef
from controlroom.node.mux.herdr import HerdrMultiplexer
from controlroom.node.mux.tmux import multiplexer as tmux_multiplexer
from controlroom.testing.fake_herdr import FakeHerdr, FakeHerdrPane, socket_of
from controlroom.testing.fake_multiplexer import FakeMultiplexer, FakePane, FakeServer
from tests.support.tmux import TmuxFolder, TmuxServer, pane_program
from tests.support.waiting import until

RECORDER = Path(__file__).with_name("recorder.py")


class MultiplexerBench(Protocol):
    """What the suite asks of one implementation's surroundings. Servers are named, panes are refs."""

    mux: Multiplexer
    cannot: frozenset[str]
    """What this multiplexer cannot tell or do: "cursor" and "alternate" of a screen, a "hint" on a pane, a
    "dead" pane that stays, "copy mode"."""

    async def start_server(self, name: str = "default") -> None:
        """A server with one pane (80 by 24)."""

    async def add_pane(self, server: str = "default", *, width: int = 80, height: int = 24) -> PaneRef: ...

    async def show(
        self,
        pane: PaneRef,
        *rows: str,
        bracketed: bool = False,
        alternate: bool = False,
        title: str | None = None,
        cursor: Cursor | None = None,
    ) -> None:
        """Make the program print these rows (they may hold SGR codes) on an empty screen."""

    def received(self, pane: PaneRef) -> bytes:
        """All bytes that the program has read so far."""

    async def enter_copy_mode(self, pane: PaneRef) -> None: ...

    async def end_program(self, pane: PaneRef) -> None:
        """The program ends but its pane stays (dead)."""

    async def close_pane(self, pane: PaneRef) -> None: ...

    async def kill_server(self, name: str = "default", *, hard: bool = False) -> None: ...

    async def sessions(self, name: str = "default") -> list[str]: ...

    async def close(self) -> None: ...


async def first_pane(bench: MultiplexerBench) -> Pane:
    """The pane of the default server, started now."""
    await bench.start_server()
    listing = await bench.mux.list()
    return listing.panes[0]


class FakeBench:
    cannot: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self._fake = FakeMultiplexer()
        self.mux: Multiplexer = self._fake
        self._names: dict[str, FakeServer] = {}

    async def start_server(self, name: str = "default") -> None:
        self._names[name] = self._fake.add_server(f"/run/fake/{name}")
        self._names[name].add_pane()

    async def add_pane(self, server: str = "default", *, width: int = 80, height: int = 24) -> PaneRef:
        return self._names[server].add_pane(width=width, height=height).ref

    def _pane(self, ref: PaneRef) -> FakePane:
        return self._fake.servers[ref.server].panes[ref.id]

    async def show(
        self,
        pane: PaneRef,
        *rows: str,
        bracketed: bool = False,
        alternate: bool = False,
        title: str | None = None,
        cursor: Cursor | None = None,
    ) -> None:
        fake = self._pane(pane)
        fake.show(*rows)
        fake.bracketed, fake.alternate = bracketed, alternate
        fake.cursor = cursor or Cursor(0, 0)
        if title is not None:
            fake.title = title

    def received(self, pane: PaneRef) -> bytes:
        return b"".join(self._pane(pane).received)

    async def enter_copy_mode(self, pane: PaneRef) -> None:
        self._pane(pane).in_mode = True

    async def end_program(self, pane: PaneRef) -> None:
        self._pane(pane).dead = True

    async def close_pane(self, pane: PaneRef) -> None:
        self._fake.servers[pane.server].close_pane(self._pane(pane))

    async def kill_server(self, name: str = "default", *, hard: bool = False) -> None:
        self._fake.kill(self._names.pop(name))

    async def sessions(self, name: str = "default") -> list[str]:
        return ["main"]

    async def close(self) -> None:
        await self.mux.aclose()


class TmuxBench:
    """Real servers; each pane runs ``recorder.py``."""

    cannot: frozenset[str] = frozenset()

    def __init__(self, folder: TmuxFolder) -> None:
        self.folder = folder
        self.mux: Multiplexer = tmux_multiplexer(environment=folder.environment, clock=SystemClock())
        self.servers: dict[str, TmuxServer] = {}
        self._logs: dict[PaneRef, Path] = {}

    async def start_server(self, name: str = "default") -> None:
        self.servers[name] = self.folder.server(name)
        await self.add_pane(name)

    async def add_pane(self, server: str = "default", *, width: int = 80, height: int = 24) -> PaneRef:
        tmux = self.servers[server]
        log = self.folder.path / f"received-{len(self._logs)}"
        program = pane_program(str(RECORDER), str(log))
        pane = tmux.session(f"s{len(self._logs)}", *program, width=width, height=height)
        ref = PaneRef("tmux", tmux.path, pane)
        self._logs[ref] = log
        await until(lambda: log.exists() and log.stat().st_size, "the recorder listens")
        return ref

    def server_of(self, pane: PaneRef) -> TmuxServer:
        return next(server for server in self.servers.values() if server.path == pane.server)

    async def show(
        self,
        pane: PaneRef,
        *rows: str,
        bracketed: bool = False,
        alternate: bool = False,
        title: str | None = None,
        cursor: Cursor | None = None,
    ) -> None:
        place = cursor or Cursor(0, 0)
        output = "\x1b[0m\x1b[?1049" + ("h" if alternate else "l") + "\x1b[H\x1b[2J"
        output += "\r\n".join(rows) + f"\x1b[{place.row + 1};{place.column + 1}H"
        output += "\x1b[?25" + ("h" if place.visible else "l")
        output += "\x1b[?2004" + ("h" if bracketed else "l")
        if title is not None:
            output += f"\x1b]2;{title}\x1b\\"
        server = self.server_of(pane)
        server.show(pane.id, output.encode("utf-8", "replace"))

    def received(self, pane: PaneRef) -> bytes:
        whole, _, _ = self._logs[pane].read_text().rpartition("\n")  # the last row may be half written
        return bytes.fromhex(whole.replace("\n", ""))

    async def enter_copy_mode(self, pane: PaneRef) -> None:
        self.server_of(pane).run("copy-mode", "-t", pane.id)

    async def end_program(self, pane: PaneRef) -> None:
        server = self.server_of(pane)
        server.run("set-option", "-p", "-t", pane.id, "remain-on-exit", "on")
        server.run("send-keys", "-t", pane.id, "-l", "\x04quit")
        await until(lambda: server.get(pane.id, "pane_dead") == "1", "the program ended")

    async def close_pane(self, pane: PaneRef) -> None:
        self.server_of(pane).run("kill-pane", "-t", pane.id)

    async def kill_server(self, name: str = "default", *, hard: bool = False) -> None:
        self.servers.pop(name).kill(hard=hard)

    async def sessions(self, name: str = "default") -> list[str]:
        return self.servers[name].run("list-sessions", "-F", "#{session_name}").split()

    async def close(self) -> None:
        await self.mux.aclose()


class HerdrBench:
    """Fake servers behind real sockets: no real Herdr can be had where this is built."""

    cannot = frozenset({"cursor", "alternate", "hint", "dead", "copy mode"})

    def __init__(self, folder: Path, *, patience_s: float = 30.0, clock: Clock | None = None) -> None:
        """``patience_s``: a loaded machine is no slow server, unless a test is about one."""
        self.folder = folder
        self.herdr = HerdrMultiplexer(
            environment={"XDG_CONFIG_HOME": str(folder)},
            sockets="auto",
            clock=clock or SystemClock(),
            patience_s=patience_s,
        )
        self.mux: Multiplexer = self.herdr
        self.servers: dict[str, FakeHerdr] = {}

    async def start_server(self, name: str = "default") -> None:
        server = self.servers.get(name)
        if server is not None:
            await server.start()
            return
        path = socket_of(self.folder, "" if name == "default" else name)
        server = self.servers[name] = FakeHerdr(path)
        await server.start()
        server.add_pane()

    async def add_pane(self, server: str = "default", *, width: int = 80, height: int = 24) -> PaneRef:
        fake = self.servers[server]
        return PaneRef("herdr", str(fake.path), fake.add_pane(width=width, height=height).pane_id)

    def pane(self, ref: PaneRef) -> FakeHerdrPane:
        return self._server(ref).panes[ref.id]

    def _server(self, ref: PaneRef) -> FakeHerdr:
        return next(server for server in self.servers.values() if str(server.path) == ref.server)

    async def show(
        self,
        pane: PaneRef,
        *rows: str,
        bracketed: bool = False,
        alternate: bool = False,
        title: str | None = None,
        cursor: Cursor | None = None,
    ) -> None:
        fake = self.pane(pane)
        fake.rows = [row.encode("utf-8", "replace").decode() for row in rows]
        fake.bracketed = bracketed
        if title is not None:
            fake.title = title

    def received(self, pane: PaneRef) -> bytes:
        return b"".join(self.pane(pane).received)

    async def enter_copy_mode(self, pane: PaneRef) -> None:
        """The person scrolls up: nothing that is typed cares."""
        self.pane(pane).history = ["older"] * 3
        self.pane(pane).scrolled = 3

    async def end_program(self, pane: PaneRef) -> None:
        """A pane goes with its shell."""
        self._server(pane).drop_pane(self.pane(pane))

    async def close_pane(self, pane: PaneRef) -> None:
        self._server(pane).drop_pane(self.pane(pane), "pane.closed")

    async def kill_server(self, name: str = "default", *, hard: bool = False) -> None:
        await self.servers[name].stop(leave_socket=hard)

    async def sessions(self, name: str = "default") -> list[str]:
        return [*self.servers[name].workspaces]

    async def close(self) -> None:
        await self.mux.aclose()
        for server in self.servers.values():
            await server.stop()


MULTIPLEXERS: dict[str, type[FakeBench | TmuxBench | HerdrBench]] = {
    "fake": FakeBench,
    "tmux": TmuxBench,
    "herdr": HerdrBench,
}


def that_can(*wanted: str) -> list[str]:
    """The multiplexers that can tell or do all of this; for ``parametrize("bench", ..., indirect=True)``."""
    return [name for name, bench in MULTIPLEXERS.items() if not bench.cannot & {*wanted}]


@pytest.fixture(params=that_can())
async def bench(
    request: pytest.FixtureRequest, tmux_folder: TmuxFolder, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[MultiplexerBench]:
    """Each test of the suite runs once for each implementation."""
    made: MultiplexerBench
    if request.param == "herdr":
        monkeypatch.setattr("controlroom.node.mux.herdr.adapter.PROMPT_EVERY_S", 0.02)
        made = HerdrBench(tmux_folder.path)
    else:
        made = TmuxBench(tmux_folder) if request.param == "tmux" else FakeBench()
    await made.mux.start()
    try:
        yield made
    finally:
        await made.close()


@pytest.fixture
async def herdr_bench(tmux_folder: TmuxFolder) -> AsyncIterator[HerdrBench]:
    """For what only Herdr does."""
    made = HerdrBench(tmux_folder.path)
    await made.mux.start()
    try:
        yield made
    finally:
        await made.close()


@pytest.fixture
async def tmux_bench(tmux_folder: TmuxFolder) -> AsyncIterator[TmuxBench]:
    """For what only tmux can show."""
    made = TmuxBench(tmux_folder)
    await made.mux.start()
    try:
        yield made
    finally:
        await made.close()
