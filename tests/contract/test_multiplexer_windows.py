"""Windows that operations open, name and remove: the same for every multiplexer."""

from __future__ import annotations

import pytest

from controlroom.node.mux.base import Pane, PaneGone, PaneRef
from tests.support.multiplexers import MultiplexerBench
from tests.support.waiting import until

NAMES = [
    "orchard",
    "two words",
    "50% #{pane_id} #(date)",
    'it\'s "quoted"; 5 $',
    "-d",
    "~",
    r"the $PRICE of a\b",
]


async def only_pane(bench: MultiplexerBench) -> Pane:
    await bench.start_server()
    (pane,) = (await bench.mux.list()).panes
    return pane


async def listed(bench: MultiplexerBench, ref: PaneRef) -> Pane:
    return next(pane for pane in (await bench.mux.list()).panes if pane.ref == ref)


async def opened(bench: MultiplexerBench, near: PaneRef, name: str = "orchard") -> PaneRef:
    return await bench.mux.open_window(
        near, name=name, folder="/", environment={"ROOM": "a b"}, argv=("sleep", "1000")
    )


@pytest.mark.parametrize("name", NAMES)
async def test_a_window_is_opened_in_the_same_session_under_its_name(
    bench: MultiplexerBench, name: str
) -> None:
    first = await only_pane(bench)
    ref = await opened(bench, first.ref, name)

    async def is_there() -> bool:
        return (await listed(bench, ref)).folder == "/"

    await until(is_there, "its folder can be seen")
    pane = await listed(bench, ref)
    assert (pane.window, pane.session, pane.ref.server) == (name, first.session, first.ref.server)
    assert not pane.dead and len((await bench.mux.list()).panes) == 2


@pytest.mark.parametrize("name", NAMES)
async def test_a_window_is_renamed(bench: MultiplexerBench, name: str) -> None:
    first = await only_pane(bench)
    await bench.mux.rename(first.ref, name)
    assert (await listed(bench, first.ref)).window == name


async def test_a_removed_pane_is_gone_and_gone_again_is_no_error(bench: MultiplexerBench) -> None:
    first = await only_pane(bench)
    ref = await opened(bench, first.ref)
    await bench.mux.remove(ref)
    assert [pane.ref for pane in (await bench.mux.list()).panes] == [first.ref]
    await bench.mux.remove(ref)
    with pytest.raises(PaneGone):
        await bench.mux.screen(ref)


async def test_keeping_a_pane_changes_nothing_that_can_be_seen(bench: MultiplexerBench) -> None:
    first = await only_pane(bench)
    await bench.mux.keep(first.ref, is_kept=True)
    await bench.mux.keep(first.ref, is_kept=False)
    assert await listed(bench, first.ref) == first
