"""What programs choose: names of folders, processes, windows, and rows that imitate tmux. None does harm."""

from __future__ import annotations

import asyncio

import pytest

from controlroom.node.mux.base import Pane, PaneBusy
from tests.support.multiplexers import TmuxBench, first_pane
from tests.support.waiting import until

NAMES = (
    "new\nline",
    "%end 1 2 1",
    "%exit\n%begin 1 2 3",
    "esc\x1b[31m\x1b]0;x\x07",
    "tab\tand|bar;semi 'quote' \"double\" $HOME `id` #{pid} #[fg=red] %H~",
    "\xff\xfe not utf-8".encode("latin-1").decode("utf-8", "surrogateescape"),
    "漢字 ⏳ é",
    "a\u202eb",
    "x" * 250,
)


async def panes(bench: TmuxBench) -> tuple[Pane, ...]:
    listing = await bench.mux.list()
    assert [server.problem for server in listing.servers] == [""]
    return listing.panes


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
async def test_a_folder_of_any_name_is_listed(tmux_bench: TmuxBench, name: str) -> None:
    await tmux_bench.start_server()
    server = tmux_bench.servers["default"]
    folder = tmux_bench.folder.path / name
    folder.mkdir()
    # tmux expands formats in the folder of a new session, so the program goes there itself
    pane = server.session("there", "sh", "-c", 'cd "$1" && exec sleep 1000', "sh", str(folder))

    async def is_there() -> bool:
        found = {each.ref.id: each for each in await panes(tmux_bench)}
        return found[pane].folder.startswith(str(tmux_bench.folder.path) + "/")

    await until(is_there)
    assert len(await panes(tmux_bench)) == 2
    assert all(each.folder.isprintable() for each in await panes(tmux_bench))


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
async def test_windows_sessions_and_titles_of_any_name_are_listed(tmux_bench: TmuxBench, name: str) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    server.run("rename-window", "-t", pane.ref.id, name, check=False)
    server.run("rename-session", "-t", "=s0:", name.replace("=", ""), check=False)
    server.run("select-pane", "-t", pane.ref.id, "-T", name, check=False)
    (now,) = await panes(tmux_bench)
    for text in (now.title, now.window, now.session):
        assert text.isprintable() and len(text) <= 200
    assert (await tmux_bench.mux.screen(pane.ref)).height == 24


@pytest.mark.parametrize("name", ["we\nird", "%end 1 2 1", "\x1b[31m", "x" * 5000])
async def test_a_process_of_any_name_is_listed(tmux_bench: TmuxBench, name: str) -> None:
    await tmux_bench.start_server()
    server = tmux_bench.servers["default"]
    script = 'import os, sys; os.execv("/bin/sleep", [sys.argv[1], "1000"])'
    pane = server.session("odd", "python3", "-c", script, name)

    async def is_named() -> bool:
        found = {each.ref.id: each for each in await panes(tmux_bench)}
        return found[pane].command not in ("python3", "sh", "")

    await until(is_named)
    assert all(each.command.isprintable() and len(each.command) <= 200 for each in await panes(tmux_bench))


async def test_a_screen_that_guesses_the_right_numbers_costs_only_its_own_frame(
    tmux_bench: TmuxBench,
) -> None:
    """The worst screen: a row that ends its own block, and then what would follow."""
    await tmux_bench.start_server()
    pane = await tmux_bench.add_pane(height=200)
    other = await tmux_bench.add_pane()
    refused = 0
    for _ in range(10):
        second, number = await numbers_of_next_command(tmux_bench)
        guesses = [f"%end {second + later} {number + n} 1" for n in range(80) for later in (0, 1)]
        await tmux_bench.show(pane, *guesses, "%exit", "%begin 1 1 1")
        for _ in range(4):
            try:
                assert len((await tmux_bench.mux.screen(pane)).rows) == 200
            except PaneBusy:
                refused += 1
            assert (await tmux_bench.mux.screen(other)).rows == ("",) * 24
            assert len(await panes(tmux_bench)) == 3
    assert refused, "no guess was right: the test tests nothing"


async def numbers_of_next_command(bench: TmuxBench) -> tuple[int, int]:
    """(second, number) that the next command will have, from a control client of the test's own."""
    process = await asyncio.create_subprocess_exec(
        *("tmux", "-S", bench.servers["default"].path, "-C", "attach", "-E", "-f", "no-output,ignore-size"),
        env=bench.folder.environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate(b"display-message -p x\n")
    begins = [row.split() for row in out.decode().splitlines() if row.startswith("%begin")]
    return int(begins[-1][1]), int(begins[-1][2]) + 1
