"""Herdr in trouble, and what is not Herdr at all: the rest goes on, and nothing is made up."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controlroom.kit.clock import FakeClock, SystemClock
from controlroom.node.mux.base import Listing, PaneBusy, PaneGone, PaneRef, PaneUnsure
from controlroom.node.mux.herdr import HerdrMultiplexer
from tests.support.multiplexers import HerdrBench, first_pane
from tests.support.tmux import TmuxFolder
from tests.support.waiting import until


async def state_of(bench: HerdrBench, wanted: str) -> Listing:
    """A listing in which the only server is in this state, with a sentence."""

    async def look() -> Listing | None:
        listing = await bench.mux.list()
        return listing if [server.state for server in listing.servers] == [wanted] else None

    return await until(look, wanted)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b'{"id":"cr-1"}\n',
        b'{"id":"","error":{"code":"invalid_request"}}\n',
        b'{"result":{"type":"pong","protocol":20,"version":"0.8.2"}}\n',
        b'{"id": "cr',
        b"\xff\xfe\x00\n",
        b"[" * 100_000 + b"\n",
        b"x" * (5 * 1024 * 1024),
    ],
    ids=["silence", "blank", "http", "half", "refusal", "no-id", "half-line", "bytes", "deep", "endless"],
)
async def test_another_program_behind_the_socket(herdr_bench: HerdrBench, raw: bytes) -> None:
    await herdr_bench.start_server()
    herdr_bench.servers["default"].socket.raw = raw
    listing = await state_of(herdr_bench, "failing")
    assert listing.panes == () and listing.servers[0].problem.endswith(".")


async def test_an_old_protocol_is_named_and_a_new_one_is_taken(herdr_bench: HerdrBench) -> None:
    await herdr_bench.start_server()
    herdr = herdr_bench.servers["default"]
    herdr.protocol, herdr.version = 16, "0.7.4"
    listing = await state_of(herdr_bench, "too_old")
    assert "0.7.5" in listing.servers[0].problem and listing.panes == ()
    herdr.protocol, herdr.version = 99, "2.0"
    listing = await state_of(herdr_bench, "ok")
    assert len(listing.panes) == 1


async def test_a_socket_without_a_server_and_one_of_another_kind(tmux_folder: TmuxFolder) -> None:
    bench = HerdrBench(tmux_folder.path)
    await bench.start_server()
    await bench.kill_server(hard=True)
    assert Path(bench.servers["default"].path).is_socket()
    (tmux_folder.path / "herdr" / "sessions" / "work").mkdir(parents=True)
    (tmux_folder.path / "herdr" / "sessions" / "work" / "herdr.sock").touch()
    assert await bench.mux.list() == Listing(servers=(), panes=())
    await bench.close()


async def test_a_word_that_was_another_in_between_is_a_new_one(tmux_folder: TmuxFolder) -> None:
    """What flickers between two looks has not been said for all the time."""
    clock = FakeClock()
    bench = HerdrBench(tmux_folder.path, clock=clock)
    await bench.start_server()
    herdr = bench.servers["default"]
    (pane,) = herdr.panes.values()

    async def said_at_ms() -> int:
        clock.advance(1.0)
        (listed,) = (await bench.mux.list()).panes
        assert listed.opinion is not None and listed.opinion.state == "blocked"
        return listed.opinion.at_ms

    herdr.set_agent(pane, "claude", "blocked")
    first = await said_at_ms()
    assert await said_at_ms() == first
    herdr.set_agent(pane, "claude", "working")
    herdr.set_agent(pane, "claude", "blocked")
    assert await said_at_ms() == first + 2000
    await bench.close()


@pytest.mark.parametrize("cut", [0, 1, 20, 35])
async def test_connections_that_end_at_any_byte(herdr_bench: HerdrBench, cut: int) -> None:
    pane = (await first_pane(herdr_bench)).ref
    cuts = herdr_bench.servers["default"].socket.cut
    cuts.update({"pane.read": cut, "session.snapshot": cut})
    with pytest.raises(PaneBusy):
        await herdr_bench.mux.screen(pane)
    assert len((await herdr_bench.mux.list()).panes) == 1  # one answer that is lost is no end
    cuts.clear()
    cuts.update({"pane.send_input": cut, "pane.send_keys": cut})
    with pytest.raises(PaneUnsure):
        await herdr_bench.mux.paste(pane, "text")
    with pytest.raises(PaneUnsure):
        await herdr_bench.mux.keys(pane, ["Enter"])
    assert herdr_bench.received(pane) == b"text\r"  # nothing is sent a second time


async def test_a_restart_between_look_and_key_presses_nothing(herdr_bench: HerdrBench) -> None:
    pane = (await first_pane(herdr_bench)).ref
    herdr = herdr_bench.servers["default"]
    await herdr.stop()
    await herdr.start()  # the same ids, a shell in each
    for call in (herdr_bench.mux.paste(pane, "rm -r build"), herdr_bench.mux.keys(pane, ["Enter"])):
        with pytest.raises(PaneGone):
            await call
    assert herdr_bench.received(pane) == b""


async def test_a_restart_while_it_could_not_be_read_presses_nothing(
    herdr_bench: HerdrBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its panes are not listed any more, and what was known of them is not forgotten."""
    pane = (await first_pane(herdr_bench)).ref
    herdr = herdr_bench.servers["default"]
    herdr.socket.raw = b"busy\n"
    monkeypatch.setattr("controlroom.node.mux.herdr.link.FRESH_S", 0.0)
    await until(lambda: _shows_none(herdr_bench), "its panes are not listed")
    await herdr.stop()
    await herdr.start()
    herdr.socket.raw = None
    with pytest.raises(PaneGone):
        await herdr_bench.mux.keys(pane, ["Enter"])
    assert herdr_bench.received(pane) == b""


async def _shows_none(bench: HerdrBench) -> bool:
    return not (await bench.mux.list()).panes


async def test_a_text_that_herdr_would_not_take_is_not_sent(herdr_bench: HerdrBench) -> None:
    pane = (await first_pane(herdr_bench)).ref
    with pytest.raises(PaneBusy, match="more than Herdr takes"):
        await herdr_bench.mux.paste(pane, "x" * 1_048_576)
    assert herdr_bench.received(pane) == b""


async def test_two_writers_of_one_pane_take_turns(herdr_bench: HerdrBench) -> None:
    pane = (await first_pane(herdr_bench)).ref
    herdr_bench.servers["default"].socket.delay_s["pane.send_text"] = 0.05
    keys = herdr_bench.mux.keys
    await asyncio.gather(keys(pane, ["a", "Enter", "b"]), keys(pane, ["c", "Enter", "d"]))
    assert herdr_bench.received(pane) in (b"a\rbc\rd", b"c\rda\rb")


async def test_five_hundred_panes_and_hostile_labels(herdr_bench: HerdrBench) -> None:
    await herdr_bench.start_server()
    herdr = herdr_bench.servers["default"]
    herdr.workspaces["w1"] = "\x1b]2;owned\x07\u202ework"
    for number in range(499):
        pane = herdr.add_pane(label="\x00\x1b[2J" + "x" * 1000)
        herdr.set_agent(pane, "claude\n\x1b[31m", ("working", "done", "blocked", "surprised")[number % 4])
        pane.title = "t" * 2000

    async def all_known() -> Listing | None:
        listing = await herdr_bench.mux.list()
        return listing if all(pane.pid for pane in listing.panes) else None

    listing = await until(all_known, "the processes of all panes")
    assert len(listing.panes) == 500
    shown = "".join(p.session + p.window + p.title + p.command for p in listing.panes)
    assert shown.isprintable() and "\u202e" not in shown
    assert {p.opinion.state for p in listing.panes if p.opinion} == {"working", "idle", "blocked", "unknown"}


async def test_rows_that_cannot_be_read_hide_only_themselves(herdr_bench: HerdrBench) -> None:
    await herdr_bench.start_server()
    herdr = herdr_bench.servers["default"]
    strange = herdr.add_pane()
    strange.pane_id = "$(reboot)"  # no id that is ever sent back
    odd = herdr.add_pane()
    odd.label = 7  # type: ignore[assignment]  # another version may mean something else by it
    assert [pane.ref.id for pane in (await herdr_bench.mux.list()).panes] == ["w1:p1"]


async def test_a_subscription_is_never_written_to_and_wakes(herdr_bench: HerdrBench) -> None:
    await herdr_bench.start_server()
    herdr = herdr_bench.servers["default"]
    pane = next(iter(herdr.panes.values()))
    herdr.set_agent(pane, "claude", "working")
    await herdr_bench.mux.list()
    await until(lambda: herdr.socket.subscribed >= 1, "subscribed")
    for status in ("blocked", "working", "done"):
        await herdr_bench.mux.wait_change(0.0)
        herdr.set_agent(pane, "claude", status)
        await herdr_bench.mux.wait_change(30.0)
    for _ in range(3):
        await herdr_bench.mux.list()
    assert herdr.socket.broken_subscriptions == 0
    assert [p.opinion.state for p in (await herdr_bench.mux.list()).panes if p.opinion] == ["idle"]


async def test_lost_events_and_a_pane_that_is_gone_do_no_harm(herdr_bench: HerdrBench) -> None:
    await herdr_bench.start_server()
    herdr = herdr_bench.servers["default"]
    herdr.socket.mute = {"pane.created", "pane.exited", "pane.agent_detected", "pane.agent_status_changed"}
    pane = herdr.add_pane()
    herdr.set_agent(pane, "codex", "blocked")
    assert len((await herdr_bench.mux.list()).panes) == 2
    await until(lambda: herdr.socket.subscribed, "subscribed")
    herdr.drop_pane(pane)
    herdr.socket.drop_connections()
    await until(lambda: herdr.socket.subscribed >= 2, "subscribed again, without it")
    assert len((await herdr_bench.mux.list()).panes) == 1


async def test_a_server_without_events_is_looked_at_all_the_same(herdr_bench: HerdrBench) -> None:
    await herdr_bench.start_server()
    herdr = herdr_bench.servers["default"]
    herdr.socket.unknown_methods = {"events.subscribe"}
    await herdr_bench.mux.list()
    herdr.add_pane()
    assert len((await herdr_bench.mux.list()).panes) == 2


async def test_the_screen_is_the_bottom_whatever_the_person_scrolled_to(herdr_bench: HerdrBench) -> None:
    pane = (await first_pane(herdr_bench)).ref
    fake = herdr_bench.pane(pane)
    fake.history = [f"old {number}" for number in range(100)]
    await herdr_bench.show(pane, *(f"row {number}" for number in range(24)))
    fake.scrolled = 50
    assert (await herdr_bench.mux.screen(pane)).rows[23] == "row 23"
    history = await herdr_bench.mux.scrollback(pane, 30)
    assert (history.rows[0], history.rows[-1], history.kept) == ("old 94", "row 23", 100)
    asked = [
        params["source"]
        for method, params in herdr_bench.servers["default"].socket.asked
        if "source" in params
    ]
    assert "recent" in asked


async def test_a_full_screen_program_is_never_asked_for_more_than_its_screen(herdr_bench: HerdrBench) -> None:
    """Herdr would turn its mouse wheel for up to 20 s to answer."""
    pane = (await first_pane(herdr_bench)).ref
    await herdr_bench.mux.scrollback(pane, 2000)
    sources = {p["source"] for _, p in herdr_bench.servers["default"].socket.asked if "source" in p}
    assert sources == {"visible"}


async def test_a_window_waits_for_its_shell_and_is_dead_when_its_program_ended(
    herdr_bench: HerdrBench,
) -> None:
    near = (await first_pane(herdr_bench)).ref
    herdr = herdr_bench.servers["default"]
    place = await herdr_bench.mux.open_window(
        near, name="pears", folder="/srv", environment={"ROOM": "it's"}, argv=("sleep", "a b")
    )
    opened = herdr.panes[place.id]
    assert opened.received == [b" env 'ROOM=it'\"'\"'s' sleep 'a b'\r"]
    assert (opened.env, opened.cwd, opened.label) == ({"ROOM": "it's"}, "/srv", "pears")
    await herdr_bench.mux.keep(place, is_kept=True)
    assert not await is_dead(herdr_bench, place)
    opened.foreground = 7  # the program runs
    assert not await is_dead(herdr_bench, place)
    opened.foreground = opened.shell_pid
    assert await is_dead(herdr_bench, place)
    await herdr_bench.mux.keep(place, is_kept=False)
    assert not await is_dead(herdr_bench, place)  # a shell as any other
    assert herdr.focused == []


async def test_a_pane_of_the_person_is_never_called_dead(
    herdr_bench: HerdrBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one that was started with an agent as its first process, that process is the foreground too."""
    monkeypatch.setattr("controlroom.node.mux.herdr.link.BEGINS_WITHIN_S", 0.0)
    pane = (await first_pane(herdr_bench)).ref
    await herdr_bench.mux.keep(pane, is_kept=True)
    assert not await is_dead(herdr_bench, pane)


async def test_listings_that_overlap_drop_a_server_once(herdr_bench: HerdrBench) -> None:
    for name in ("default", "work", "play"):
        await herdr_bench.start_server(name)
    await herdr_bench.mux.list()
    for name in ("default", "work"):
        await herdr_bench.kill_server(name)
    listings = await asyncio.gather(*(herdr_bench.mux.list() for _ in range(4)))
    assert {len(listing.servers) for listing in listings} == {1}


async def is_dead(bench: HerdrBench, ref: PaneRef) -> bool:
    return next(pane.dead for pane in (await bench.mux.list()).panes if pane.ref == ref)


async def test_a_window_whose_shell_never_gets_ready_is_closed_again(
    herdr_bench: HerdrBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controlroom.node.mux.herdr.adapter.PROMPT_EVERY_S", 0.01)
    monkeypatch.setattr("controlroom.node.mux.herdr.adapter.PROMPT_WITHIN_S", 0.1)
    near = (await first_pane(herdr_bench)).ref
    herdr = herdr_bench.servers["default"]
    herdr.new_shell_looks = 1000
    with pytest.raises(PaneBusy, match="prompt"):
        await herdr_bench.mux.open_window(near, name="n", folder="/", environment={}, argv=("sleep", "9"))
    assert list(herdr.panes) == [near.id] and not any(m == "pane.send_input" for m, _ in herdr.socket.asked)


async def test_only_named_sockets_are_looked_at_whatever_was_inherited(tmux_folder: TmuxFolder) -> None:
    bench = HerdrBench(tmux_folder.path)
    for name in ("default", "work", "play"):
        await bench.start_server(name)
    environment = {
        "XDG_CONFIG_HOME": str(tmux_folder.path),
        "HERDR_SOCKET_PATH": str(bench.servers["play"].path),
        "HERDR_SESSION": "play",
    }
    named = HerdrMultiplexer(environment=environment, sockets=("work",), clock=SystemClock(), patience_s=30)
    assert [server.path for server in (await named.list()).servers] == [str(bench.servers["work"].path)]
    found = HerdrMultiplexer(environment=environment, sockets="auto", clock=SystemClock(), patience_s=30)
    assert len((await found.list()).servers) == 3
    none = HerdrMultiplexer(environment=environment, sockets=(), clock=SystemClock())
    assert (await none.list()).servers == ()
    for mux in (named, found, none):
        await mux.aclose()
    await bench.close()


async def test_a_process_that_was_known_stays_known_while_its_server_is_short_of_words(
    herdr_bench: HerdrBench,
) -> None:
    near = (await first_pane(herdr_bench)).ref
    herdr = herdr_bench.servers["default"]
    place = await herdr_bench.mux.open_window(near, name="n", folder="/", environment={}, argv=("sleep", "9"))
    await herdr_bench.mux.keep(place, is_kept=True)  # from now on its processes are asked for at each look
    before = {pane.ref: pane.pid for pane in (await herdr_bench.mux.list()).panes}
    herdr.socket.unknown_methods = {"pane.process_info"}
    assert {pane.ref: pane.pid for pane in (await herdr_bench.mux.list()).panes} == before
    assert all(before.values())


async def test_a_socket_at_a_path_longer_than_the_system_allows_is_trouble(tmux_folder: TmuxFolder) -> None:
    bench = HerdrBench(tmux_folder.path)
    await bench.start_server()
    deep = tmux_folder.path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    (deep / "herdr.sock").hardlink_to(bench.servers["default"].path)
    mux = HerdrMultiplexer(
        environment={}, sockets=(str(deep / "herdr.sock"),), clock=SystemClock(), patience_s=30
    )
    (server,) = (await mux.list()).servers
    assert (server.state, "cannot be opened" in server.problem) == ("failing", True)
    await mux.aclose()
    await bench.close()
