"""The contract of multiplexers: servers and listings. (Screens and typing are in the files beside.)"""

from __future__ import annotations

import time

import pytest

from controlroom.core.text import LINE_LIMIT
from controlroom.node.mux.base import Listing, Pane, PaneGone, PaneRef
from tests.support.multiplexers import MultiplexerBench, first_pane, that_can
from tests.support.waiting import until


async def listed(bench: MultiplexerBench, ref: PaneRef) -> Pane:
    return next(pane for pane in (await bench.mux.list()).panes if pane.ref == ref)


async def test_no_server_is_a_normal_state(bench: MultiplexerBench) -> None:
    assert await bench.mux.list() == Listing(servers=(), panes=())


async def test_a_pane_is_listed_with_its_place_process_and_size(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    assert pane.ref.multiplexer == bench.mux.kind
    assert pane.pid > 0
    assert (pane.width, pane.height) == (80, 24)
    assert pane.tty and pane.session and pane.window and pane.command and pane.folder
    assert pane.active_at_s > 1_600_000_000
    assert not (pane.alternate or pane.in_mode or pane.dead or pane.hint)


async def test_a_server_is_named_by_its_path_and_is_ok(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    (server,) = (await bench.mux.list()).servers
    assert (server.path, server.state, server.problem) == (pane.ref.server, "ok", "")


async def test_panes_that_appear_and_vanish_are_in_the_next_listing(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    second = await bench.add_pane(width=100, height=30)
    assert {each.ref for each in (await bench.mux.list()).panes} == {pane.ref, second}
    await bench.close_pane(second)
    assert [each.ref for each in (await bench.mux.list()).panes] == [pane.ref]


async def test_every_server_of_the_user_is_found(bench: MultiplexerBench) -> None:
    for name in ("default", "work", "play"):
        await bench.start_server(name)
    listing = await bench.mux.list()
    assert len(listing.servers) == 3
    assert {pane.ref.server for pane in listing.panes} == {server.path for server in listing.servers}


@pytest.mark.parametrize("hard", [False, True])
async def test_a_killed_server_is_noticed_and_the_others_stay(bench: MultiplexerBench, hard: bool) -> None:
    pane = await first_pane(bench)
    await bench.start_server("work")
    await bench.mux.list()
    await bench.kill_server("default", hard=hard)
    listing = await bench.mux.list()  # the very next listing knows
    assert pane.ref.server not in [server.path for server in listing.servers]
    assert len(listing.servers) == len(listing.panes) == 1
    with pytest.raises(PaneGone):
        await bench.mux.screen(pane.ref)


async def test_a_restarted_server_is_another_incarnation(bench: MultiplexerBench) -> None:
    before = await first_pane(bench)
    await bench.kill_server()
    await bench.start_server()
    (after,) = (await bench.mux.list()).panes
    assert after.ref == before.ref
    assert after.incarnation != before.incarnation


async def test_waiting_ends_when_a_server_appears_and_when_it_vanishes(bench: MultiplexerBench) -> None:
    await bench.mux.wait_change(0.0)
    await bench.start_server()
    await until(lambda: _changed(bench), "told of the new server")
    await bench.mux.list()
    await bench.mux.wait_change(0.0)
    await bench.kill_server()
    await until(lambda: _changed(bench), "told of the end of the server")


async def _changed(bench: MultiplexerBench) -> bool:
    began = time.monotonic()
    await bench.mux.wait_change(30.0)
    return time.monotonic() - began < 10.0


async def test_waiting_ends_in_time_when_nothing_happens(bench: MultiplexerBench) -> None:
    await bench.mux.wait_change(0.0)
    await bench.mux.wait_change(0.05)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("a b  c", "a b  c"),
        ("%H:%M #{pid} #[fg=red] $(id) `id`", "%H:%M #{pid} #[fg=red] $(id) `id`"),
        ("⏳ 漢字 é — 🙂", "⏳ 漢字 é — 🙂"),
        ("safe\u202etxt.exe", "safetxt.exe"),
        ("%end 1 2 1|%begin 3 4 1|", "%end 1 2 1|%begin 3 4 1|"),
    ],
)
async def test_titles_are_outside_text(bench: MultiplexerBench, title: str, shown: str) -> None:
    pane = await first_pane(bench)
    await bench.show(pane.ref, title=title)

    async def has_title() -> bool:
        return (await listed(bench, pane.ref)).title == shown

    await until(has_title, shown)


async def test_an_endless_title_is_limited(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    await bench.show(pane.ref, title="long " * 180)

    async def is_limited() -> bool:
        return LINE_LIMIT - 10 < len((await listed(bench, pane.ref)).title) <= LINE_LIMIT

    await until(is_limited)


@pytest.mark.parametrize("bench", that_can("alternate", "copy mode"), indirect=True)
async def test_copy_mode_and_full_screen_programs_are_listed(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    await bench.show(pane.ref, "full", alternate=True)
    await bench.enter_copy_mode(pane.ref)

    async def shows() -> bool:
        now = await listed(bench, pane.ref)
        return now.in_mode and now.alternate

    await until(shows)


async def test_a_pane_whose_program_ended_is_dead_or_gone(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    await bench.end_program(pane.ref)
    assert "dead" in bench.cannot or (await listed(bench, pane.ref)).dead
    assert not any(pane.ref == each.ref and not each.dead for each in (await bench.mux.list()).panes)


async def test_a_hint_stays_with_its_pane(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    other = await bench.add_pane()
    await bench.mux.set_hint(pane.ref, "agt_1")
    assert (await listed(bench, pane.ref)).hint == ("" if "hint" in bench.cannot else "agt_1")
    assert (await listed(bench, other)).hint == ""


async def test_a_hint_for_a_pane_that_is_gone_is_no_error(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    await bench.mux.set_hint(PaneRef(pane.ref.multiplexer, pane.ref.server, "%999"), "agt_1")


@pytest.mark.parametrize("pane_id", ["%999", "", "main:0", "%0 ; kill-server", "$0", "@0"])
async def test_only_a_living_pane_can_be_addressed(bench: MultiplexerBench, pane_id: str) -> None:
    known = (await first_pane(bench)).ref
    ref = PaneRef(known.multiplexer, known.server, pane_id)
    for call in (
        bench.mux.screen(ref),
        bench.mux.scrollback(ref, 10),
        bench.mux.paste(ref, "text"),
        bench.mux.keys(ref, ["Enter"]),
        bench.mux.open_window(ref, name="n", folder="/", environment={}, argv=("sleep", "9")),
        bench.mux.keep(ref, is_kept=True),
        bench.mux.rename(ref, "n"),
    ):
        with pytest.raises(PaneGone):
            await call
    assert bench.received(known) == b""
    assert len((await bench.mux.list()).panes) == 1


async def test_a_pane_of_an_unknown_server_or_multiplexer_is_gone(bench: MultiplexerBench) -> None:
    known = (await first_pane(bench)).ref
    for ref in (PaneRef(known.multiplexer, "/nowhere", "%0"), PaneRef("other", known.server, known.id)):
        with pytest.raises(PaneGone):
            await bench.mux.screen(ref)


async def test_no_session_is_made_in_the_persons_server(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    before = await bench.sessions()
    await bench.mux.screen(pane.ref)
    await bench.mux.paste(pane.ref, "text")
    await bench.mux.keys(pane.ref, ["Enter"])
    assert await bench.sessions() == before


async def test_closing_leaves_servers_and_panes_as_they_are(bench: MultiplexerBench) -> None:
    await first_pane(bench)
    before = await bench.sessions()
    await bench.mux.aclose()
    assert await bench.sessions() == before
