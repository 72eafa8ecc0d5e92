"""The contract of multiplexers: pastes and keys."""

from __future__ import annotations

import pytest

from controlroom.node.mux.base import PaneGone, PaneRef
from tests.support.multiplexers import MultiplexerBench, first_pane
from tests.support.waiting import until

OPEN, CLOSE = b"\x1b[200~", b"\x1b[201~"


async def bracketed_pane(bench: MultiplexerBench) -> PaneRef:
    """A pane whose program has asked for bracketed paste."""
    pane = await first_pane(bench)
    await bench.show(pane.ref, "ready", bracketed=True)

    async def is_shown() -> bool:
        return (await bench.mux.screen(pane.ref)).rows[0] == "ready"

    await until(is_shown)
    return pane.ref


async def receives(bench: MultiplexerBench, pane: PaneRef, data: bytes) -> None:
    """The program gets exactly this, and nothing more before a key that is pressed now."""
    await bench.mux.keys(pane, ["."])
    await until(lambda: bench.received(pane).endswith(b"."), f"a dot behind {data[:40]!r}")
    assert bench.received(pane) == data + b"."


async def test_a_text_of_many_lines_is_one_paste_without_enter(bench: MultiplexerBench) -> None:
    pane = await bracketed_pane(bench)
    pasted = await bench.mux.paste(pane, "first\nsecond\n\n\tfourth")
    assert (pasted.text, pasted.removed) == ("first\nsecond\n\n\tfourth", 0)
    await receives(bench, pane, OPEN + b"first\nsecond\n\n\tfourth" + CLOSE)


async def test_a_program_that_knows_no_brackets_gets_none(bench: MultiplexerBench) -> None:
    pane = (await first_pane(bench)).ref
    await bench.mux.paste(pane, "one\ntwo")
    await receives(bench, pane, b"one\ntwo")


async def test_control_characters_are_taken_out_and_counted(bench: MultiplexerBench) -> None:
    pane = await bracketed_pane(bench)
    hostile = "a\x1b[201~\x03b\x00\x7f\x9bc\ud800d"
    pasted = await bench.mux.paste(pane, hostile)
    assert (pasted.text, pasted.removed) == ("a[201~bcd", 6)
    await receives(bench, pane, OPEN + b"a[201~bcd" + CLOSE)


async def test_line_ends_of_other_systems_become_newlines(bench: MultiplexerBench) -> None:
    pane = await bracketed_pane(bench)
    pasted = await bench.mux.paste(pane, "a\r\nb\rc")
    assert (pasted.text, pasted.removed) == ("a\nb\nc", 0)
    await receives(bench, pane, OPEN + b"a\nb\nc" + CLOSE)


async def test_nothing_left_is_nothing_typed(bench: MultiplexerBench) -> None:
    pane = await bracketed_pane(bench)
    assert (await bench.mux.paste(pane, "\x1b\x00")).removed == 2
    assert (await bench.mux.paste(pane, "")).removed == 0
    await receives(bench, pane, b"")


@pytest.mark.parametrize("size", [1023, 1025, 5000, 60_000, 1_000_000])
async def test_long_texts_arrive_whole(bench: MultiplexerBench, size: int) -> None:
    pane = await bracketed_pane(bench)
    edge = "é — 漢 🙂 \"'$\\;#{pid}\n"
    middle = "x" * (size - 2 * len(edge.encode()))
    text = edge + middle + edge
    await bench.mux.paste(pane, text)
    wanted = OPEN + text.encode() + CLOSE
    assert len(text.encode()) == size
    await until(lambda: len(bench.received(pane)) >= len(wanted), f"{size} bytes", 60)
    assert bench.received(pane) == wanted


async def test_keys_are_pressed_in_order(bench: MultiplexerBench) -> None:
    pane = (await first_pane(bench)).ref
    await bench.mux.keys(pane, ["Down", "Down", "Enter", "Escape", "BTab", "C-c", "Space"])
    await receives(bench, pane, b"\x1b[B\x1b[B\r\x1b\x1b[Z\x03 ")


async def test_single_characters_are_typed_as_they_are(bench: MultiplexerBench) -> None:
    pane = (await first_pane(bench)).ref
    await bench.mux.keys(pane, ["1", ";", "-", "$", '"', "'", "\\", "~", "#", "%", "é", "漢", "{", "}"])
    await receives(bench, pane, "1;-$\"'\\~#%é漢{}".encode())


async def test_common_other_names_of_keys_are_understood(bench: MultiplexerBench) -> None:
    pane = (await first_pane(bench)).ref
    await bench.mux.keys(pane, ["Esc", "Return", "Shift+Tab", "Ctrl-C"])
    await receives(bench, pane, b"\x1b\r\x1b[Z\x03")


@pytest.mark.parametrize("bad", ["S-Enter", "Entr", "", "ab", "\x1b", "C-Enter", "Enter Enter", "x" * 10_000])
async def test_a_key_that_is_not_allowed_presses_nothing(bench: MultiplexerBench, bad: str) -> None:
    pane = (await first_pane(bench)).ref
    with pytest.raises(ValueError, match=r"There is no key .{2,200}\. Use"):
        await bench.mux.keys(pane, ["1", bad, "Enter"])
    await receives(bench, pane, b"")


async def test_no_keys_and_too_many_keys_are_refused(bench: MultiplexerBench) -> None:
    pane = (await first_pane(bench)).ref
    for keys in ([], ["a"] * 65):
        with pytest.raises(ValueError, match=r"\."):
            await bench.mux.keys(pane, keys)
    await receives(bench, pane, b"")


async def test_copy_mode_is_left_before_a_paste(bench: MultiplexerBench) -> None:
    pane = await bracketed_pane(bench)
    await bench.enter_copy_mode(pane)
    await bench.mux.paste(pane, "a\nb")
    await receives(bench, pane, OPEN + b"a\nb" + CLOSE)
    assert not any(each.in_mode for each in (await bench.mux.list()).panes)


async def test_copy_mode_is_left_before_keys(bench: MultiplexerBench) -> None:
    pane = (await first_pane(bench)).ref
    await bench.enter_copy_mode(pane)
    await bench.mux.keys(pane, ["q", "Enter"])
    await receives(bench, pane, b"q\r")


async def test_a_dead_pane_takes_nothing(bench: MultiplexerBench) -> None:
    pane = (await first_pane(bench)).ref
    await bench.end_program(pane)
    with pytest.raises(PaneGone):
        await bench.mux.paste(pane, "text")
    with pytest.raises(PaneGone):
        await bench.mux.keys(pane, ["Enter"])
