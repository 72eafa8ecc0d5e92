"""``controlroom doctor`` about Herdr: which servers there are, and ``--herdr``, the check of real ones."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from controlroom.app.doctor import checks, herdr_report
from controlroom.app.doctor_check import Check
from controlroom.kit.home import Home
from controlroom.node.mux.herdr import selfcheck
from controlroom.testing.fake_herdr import FakeHerdr, FakeHerdrPane, socket_of
from tests.integration.cli.conftest import Cli
from tests.support.tmux import TmuxFolder


class Answering(FakeHerdr):
    """Its shells do what is typed into them, and belong to processes of this machine."""

    async def opened(self, pane: FakeHerdrPane) -> None:
        pane.shell_pid = pane.foreground = os.getpid()

        def answer(data: bytes) -> None:
            if data == b"\r":
                pane.rows = ["$ echo", selfcheck.PRINTED, "$ "]

        pane.on_typed = answer


def report(
    home: Path, folder: TmuxFolder, prepare: Callable[[FakeHerdr], None] = lambda _: None
) -> list[Check]:
    """What ``--herdr`` finds at one server that was prepared."""

    async def run() -> list[Check]:
        herdr = Answering(socket_of(folder.path))
        await herdr.start()
        herdr.set_agent(herdr.add_pane(label="secret name"), "claude", "working")
        prepare(herdr)
        try:
            return await herdr_report(Home(home), environment(folder))
        finally:
            assert [pane.label for pane in herdr.panes.values()] == [None]  # nothing is left behind
            await herdr.stop()

    return asyncio.run(run())


def environment(folder: TmuxFolder) -> dict[str, str]:
    return folder.environment | {"XDG_CONFIG_HOME": str(folder.path)}


def test_each_call_is_tried_and_nothing_is_left_behind(home: Path, tmux_folder: TmuxFolder) -> None:
    found = report(home, tmux_folder)
    assert [check.name for check in found if check.state != "ok"] == []
    assert [check.name.removeprefix("1 ") for check in found] == [
        *("control room", "ping", "snapshot", "fields of panes", "fields of agents", "panes", "events"),
        *("new tab", "terminal id", "processes", "shell", "read visible", "read detection", "typing"),
        *("rename", "close"),
    ]
    whole = " ".join(check.text for check in found)
    assert "version 0.8.2, protocol 20" in whole
    assert "secret" not in whole and str(tmux_folder.path) not in whole  # it is made to be pasted


def test_what_differs_is_named(home: Path, tmux_folder: TmuxFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfcheck, "PRINT_S", 0.1)

    def prepare(herdr: FakeHerdr) -> None:
        herdr.protocol = 23
        herdr.more_fields = {"mood": "fine"}
        herdr.socket.unknown_methods = {"events.subscribe", "pane.send_keys"}

    found = {check.name: check for check in report(home, tmux_folder, prepare)}
    assert "protocol 23" in found["1 ping"].text
    assert (found["1 fields of panes"].state, found["1 fields of panes"].text) == (
        "note",
        "new: mood; missing: none",
    )
    assert found["1 events"] == Check("1 events", "wrong", "refused: invalid_request")
    assert found["1 scratch"] == Check("1 scratch", "wrong", "refused: invalid_request")
    assert found["1 close"].state == "ok"


def test_an_old_server_is_told_and_left_alone(home: Path, tmux_folder: TmuxFolder) -> None:
    found = report(home, tmux_folder, lambda herdr: setattr(herdr, "protocol", 16))
    assert [check.name for check in found] == ["control room", "1 ping", "1 protocol"]


@pytest.mark.parametrize("raw", [b"SSH-2.0-OpenSSH_9.2\n", b'{"id":"cr', b"x" * 5_000_000])
def test_what_is_no_herdr_is_asked_once(home: Path, tmux_folder: TmuxFolder, raw: bytes) -> None:
    found = report(home, tmux_folder, lambda herdr: setattr(herdr.socket, "raw", raw))
    assert [(check.name, check.state) for check in found] == [("control room", "ok"), ("1 ping", "wrong")]


def test_a_socket_that_was_left_behind_is_no_server(home: Path, tmux_folder: TmuxFolder) -> None:
    async def run() -> list[Check]:
        herdr = FakeHerdr(socket_of(tmux_folder.path))
        await herdr.start()
        await herdr.stop(leave_socket=True)
        return await herdr_report(Home(home), environment(tmux_folder))

    found = [(check.name, check.state) for check in asyncio.run(run())]
    assert found == [("control room", "ok"), ("1 ping", "note"), ("herdr", "wrong")]


def test_no_server_at_all(home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    ran = cli("doctor", "--herdr")
    assert ran.status == 1 and "No Herdr server was found." in ran.out and "pasted" in ran.out


def test_servers_are_listed_beside_those_of_tmux(home: Path, tmux_folder: TmuxFolder) -> None:
    async def run() -> list[Check]:
        servers = [FakeHerdr(socket_of(tmux_folder.path)), FakeHerdr(socket_of(tmux_folder.path, "odd"))]
        for herdr in servers:
            await herdr.start()
        servers[1].socket.raw = b"SSH-2.0-OpenSSH_9.2\n"
        try:
            return await checks(Home(home), environment(tmux_folder))
        finally:
            for herdr in servers:
                await herdr.stop()

    found = [check for check in asyncio.run(run()) if check.name == "herdr servers"]
    assert [check.state for check in found] == ["ok", "wrong"]
    assert found[0].text.endswith("version 0.8.2, protocol 20")
    assert "does not answer as Herdr" in found[1].text and "herdr.sockets" in found[1].fix
