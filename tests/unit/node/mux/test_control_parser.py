"""tmux's control mode as it comes through the pipe, torn anywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.node.mux.tmux.protocol import Block, ControlParser, Event, Garbage, Notice

ATTACH = b"%begin 10 1 0\n%end 10 1 0\n%session-changed $0 one\n"


def fed(data: bytes, *, nonce: str = "") -> list[Event]:
    parser = ControlParser()
    if nonce:
        parser.expect(nonce)
    return parser.feed(data)


def test_the_attach_is_a_block_of_nobody_and_a_notice() -> None:
    assert fed(ATTACH) == [Block((), ours=False), Notice("session-changed", "$0 one")]


def test_a_block_holds_what_the_command_printed() -> None:
    assert fed(b"%begin 10 2 1\none\n\n three \n%end 10 2 1\n") == [Block((b"one", b"", b" three "))]


def test_an_error_is_a_block_that_is_not_ok() -> None:
    (block,) = fed(b"%begin 10 2 1\ncan't find pane: %9\n%error 10 2 1\n")
    assert block == Block((b"can't find pane: %9",), ok=False)


@pytest.mark.parametrize(
    "row",
    [
        b"%end 10 2 0",
        b"%end 10 3 1",
        b"%end 10 2 1 ",
        b" %end 10 2 1",
        b"%end 10 2 11",
        b"%error 9 2 1",
        b"%begin 10 2 1",
        b"%exit",
        b"%output %0 x",
        b"%end",
    ],
)
def test_inside_a_block_everything_is_a_row_but_its_own_end(row: bytes) -> None:
    assert fed(b"%begin 10 2 1\n" + row + b"\n%end 10 2 1\n") == [Block((row,))]


@pytest.mark.parametrize(
    "line", [b"stray", b"", b"%end 1 2 3", b"%error 1 2 3", b"%begin", b"%begin 1 2", b"% x"]
)
def test_outside_a_block_only_notices_may_stand(line: bytes) -> None:
    (garbage,) = fed(line + b"\n")
    assert isinstance(garbage, Garbage)


def test_after_garbage_nothing_is_believed() -> None:
    parser = ControlParser()
    assert len(parser.feed(b"stray\n" + ATTACH)) == 1
    assert parser.feed(ATTACH) == []


def test_a_row_that_guesses_the_end_of_its_block_shows_as_garbage() -> None:
    events = fed(b"%begin 10 2 1\nscreen\n%end 10 2 1\nrest of the screen\n%end 10 2 1\n")
    assert events == [Block((b"screen",)), Garbage("rest of the screen")]


def test_a_row_that_imitates_a_begin_cannot_swallow_the_nonce() -> None:
    hostile = b"%begin 10 2 1\n%end 10 2 1\n%begin 1 1 1\n"  # two rows of a screen
    events = fed(hostile + b"%end 10 2 1\n%begin 10 3 1\nn0nce\n%end 10 3 1\n", nonce="n0nce")
    assert events == [Block(()), Garbage("an answer inside another")]


def test_the_nonce_alone_in_its_block_is_a_block() -> None:
    assert fed(b"%begin 10 3 1\nn0nce\n%end 10 3 1\n", nonce="n0nce") == [Block((b"n0nce",))]


@pytest.mark.parametrize("flood", [b"x" * 3000, b"row\n" * 1000, b"%begin 1 1 1\n" + b"row\n" * 1000])
def test_an_answer_without_end_is_garbage_not_memory(flood: bytes) -> None:
    parser = ControlParser(max_bytes=2000)
    events = parser.feed(flood)
    assert isinstance(events[-1], Garbage)
    assert parser.feed(flood) == []


def test_garbage_is_named_without_control_characters() -> None:
    assert fed(b"\x1b[2J\xff" + b"x" * 500 + b"\n")[0] == Garbage("[2J\ufffd" + "x" * 75)


ROWS = st.lists(st.binary(max_size=30).map(lambda row: row.replace(b"\n", b"")), max_size=5)
NUMBERS = st.tuples(st.integers(0, 2**31), st.integers(0, 2**31), st.sampled_from([0, 1]))


@given(
    st.lists(st.tuples(NUMBERS, ROWS, st.booleans()), max_size=6), st.lists(st.integers(1, 40), max_size=60)
)
def test_however_the_stream_is_torn_the_events_are_the_same(
    blocks: list[tuple[tuple[int, int, int], list[bytes], bool]], cuts: list[int]
) -> None:
    stream, wanted = b"", []
    for (time, number, flags), rows, is_ok in blocks:
        numbers = b"%d %d %d" % (time, number, flags)
        rows = [row for row in rows if row not in (b"%end " + numbers, b"%error " + numbers)]
        stream += b"%begin " + numbers + b"\n" + b"".join(row + b"\n" for row in rows)
        stream += (b"%end " if is_ok else b"%error ") + numbers + b"\n%window-add @1\n"
        wanted += [Block(tuple(rows), is_ok, flags == 1), Notice("window-add", "@1")]
    parser, got, at = ControlParser(), [], 0
    for cut in [*cuts, len(stream)]:
        got += parser.feed(stream[at : at + cut])
        at += cut
    assert got == wanted


@given(st.lists(st.binary(max_size=60)))
def test_no_bytes_break_the_parser(chunks: list[bytes]) -> None:
    parser = ControlParser()
    for chunk in chunks:
        parser.feed(chunk)
