"""Typing into tmux panes: what stands in the way is left or named, never typed through."""

from __future__ import annotations

import pytest

from controlroom.core.keys import NAMES
from controlroom.node.mux.base import PaneBusy, PaneRef, PaneUnsure
from tests.support.multiplexers import TmuxBench, first_pane
from tests.support.waiting import until

MODES = (
    ["copy-mode"],
    ["copy-mode", "-u"],
    ["choose-tree"],
    ["choose-client"],
    ["clock-mode"],
    ["customize-mode"],
)


@pytest.mark.parametrize("mode", MODES, ids=lambda words: "".join(words))
async def test_every_mode_is_left_before_typing(tmux_bench: TmuxBench, mode: list[str]) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    server.run(mode[0], "-t", pane.ref.id, *mode[1:])
    assert server.get(pane.ref.id, "pane_in_mode") != "0"
    await tmux_bench.mux.keys(pane.ref, ["1"])
    await tmux_bench.mux.paste(pane.ref, "text")
    await until(lambda: tmux_bench.received(pane.ref) == b"1text", "exactly this")
    assert server.get(pane.ref.id, "pane_in_mode") == "0"


async def test_modes_above_each_other_are_all_left(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    for mode in ("choose-tree", "copy-mode", "clock-mode"):
        server.run(mode, "-t", pane.ref.id)
    assert server.get(pane.ref.id, "pane_in_mode") == "3"
    await tmux_bench.mux.paste(pane.ref, "text")
    await until(lambda: tmux_bench.received(pane.ref) == b"text", "exactly this")


async def test_view_mode_is_left_too(tmux_bench: TmuxBench) -> None:
    """What tmux shows the output of ``run-shell`` in."""
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    server.run("run-shell", "-t", pane.ref.id, "echo some output")
    assert server.get(pane.ref.id, "pane_mode") == "view-mode"
    await tmux_bench.mux.keys(pane.ref, ["1"])
    await until(lambda: tmux_bench.received(pane.ref) == b"1", "exactly this")


async def test_panes_that_share_their_keys_are_not_typed_into(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    server.run("set-option", "-w", "-t", pane.ref.id, "synchronize-panes", "on")
    for call in (tmux_bench.mux.keys(pane.ref, ["1"]), tmux_bench.mux.paste(pane.ref, "text")):
        with pytest.raises(PaneBusy, match="synchronize-panes") as refusal:
            await call
        assert not isinstance(refusal.value, PaneUnsure)
    server.run("set-option", "-w", "-t", pane.ref.id, "synchronize-panes", "off")
    await tmux_bench.mux.keys(pane.ref, ["2"])
    await until(lambda: tmux_bench.received(pane.ref) == b"2", "only this")
    assert server.run("list-buffers") == ""


async def test_a_pane_whose_input_is_off_says_so(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    server.run("select-pane", "-d", "-t", pane.ref.id)
    with pytest.raises(PaneBusy, match="switched off"):
        await tmux_bench.mux.keys(pane.ref, ["1"])
    server.run("select-pane", "-e", "-t", pane.ref.id)
    await tmux_bench.mux.keys(pane.ref, ["2"])
    await until(lambda: tmux_bench.received(pane.ref) == b"2", "only this")


async def test_every_key_of_the_allowlist_is_a_key_for_tmux(tmux_bench: TmuxBench) -> None:
    """tmux types the name of a key that it does not know, and sends nothing for some that it knows."""
    pane = await first_pane(tmux_bench)
    sent = {name: await sent_by(tmux_bench, pane.ref, name) for name in sorted(NAMES)}
    assert sent.pop("Space") == b" "
    assert {name: data for name, data in sent.items() if not data or data.decode().isprintable()} == {}


async def sent_by(bench: TmuxBench, pane: PaneRef, name: str) -> bytes:
    before = len(bench.received(pane))
    await bench.mux.keys(pane, [name, "."])
    await until(lambda: bench.received(pane)[before:].endswith(b"."), name)
    return bench.received(pane)[before:-1]


async def test_keys_go_to_the_program_whatever_the_person_has_bound(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    server.run("bind-key", "-n", "F1", "kill-server")
    server.run("set-option", "-g", "prefix", "C-a")
    await tmux_bench.mux.keys(pane.ref, ["C-a", "F1", "d"])
    await until(lambda: tmux_bench.received(pane.ref) == b"\x01\x1bOPd", "the keys themselves")
    assert server.is_alive()
