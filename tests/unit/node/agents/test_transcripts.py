"""Rows of files that other programs append to: by bytes, from the end, each row once."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.node.agents import transcripts
from controlroom.node.agents.transcripts import (
    Tail,
    cursor,
    decode_rows,
    last_rows,
    locate,
    read_in_thread,
    rows_back,
    rows_from,
)

LINES = st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"x")), max_size=30)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few bytes, so that rows cross them everywhere."""
    monkeypatch.setattr(transcripts, "FIRST_BLOCK", 3)
    monkeypatch.setattr(transcripts, "LAST_BLOCK", 12)


class TestRows:
    @pytest.mark.usefixtures("small_blocks")
    def test_forward_and_backward_agree_at_every_block_size(self) -> None:
        self.check_both_ways()

    @given(LINES, st.binary(max_size=10).map(lambda b: b.replace(b"\n", b"")))
    def check_both_ways(self, lines: list[bytes], rest: bytes) -> None:
        file = io.BytesIO(b"".join(line + b"\n" for line in lines) + rest)
        forward = list(rows_from(file, 0))
        assert [row.data for row in forward] == [line.rstrip(b"\r") for line in lines if line.strip()]
        assert list(rows_back(file))[::-1] == forward
        for row in forward:
            assert file.getvalue()[row.offset : row.end - 1].rstrip(b"\r") == row.data
            assert next(rows_from(file, row.offset)).data == row.data
            older = list(rows_back(file, row.offset))
            assert older[::-1] == [r for r in forward if r.end <= row.offset]

    def test_an_unfinished_last_row_is_no_row(self) -> None:
        file = io.BytesIO(b'{"a":1}\n{"b":')
        assert [row.data for row in rows_from(file, 0)] == [b'{"a":1}']
        assert [row.data for row in rows_back(file)] == [b'{"a":1}']
        assert list(rows_back(io.BytesIO(b'{"b":'))) == []

    def test_a_row_of_twelve_megabytes_is_read_both_ways(self) -> None:
        long = b'"' + b"x" * 12_000_000 + b'"'
        file = io.BytesIO(b"1\n" + long + b"\n2\n")
        assert [len(row.data) for row in rows_from(file, 0)] == [1, len(long), 1]
        assert [len(row.data) for row in rows_back(file)] == [1, len(long), 1]

    def test_an_endless_row_is_passed_over_and_has_no_data(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(transcripts, "MAX_ROW_BYTES", 1_000_000)
        file = io.BytesIO(b"1\n" + b"x" * 3_000_000 + b"\n2\n")
        for rows in (list(rows_from(file, 0)), list(rows_back(file))[::-1]):
            assert [row.data for row in rows] == [b"1", b"", b"2"]
            assert [row.offset for row in rows] == [0, 2, 3_000_003]

    def test_reading_stops_at_the_end_asked_for(self) -> None:
        assert [row.data for row in rows_from(io.BytesIO(b"1\n2\n3\n"), 0, 4)] == [b"1", b"2"]

    def test_the_last_rows_of_a_long_file_read_little_of_it(self, tmp_path: Path) -> None:
        path = tmp_path / "long.jsonl"
        with path.open("wb") as out:
            out.truncate(600_000_000)
            out.seek(0, 2)
            out.write(b"\n" + b"".join(b'{"n":%d}\n' % n for n in range(1000)))
        tracemalloc.start()
        with path.open("rb") as file:
            found = last_rows(file, 50, 1_000_000)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert [row.data for row in found.rows][-1] == b'{"n":999}'
        assert len(found.rows) == 50
        assert not found.whole
        assert peak < 2_000_000

    def test_last_rows_stop_at_the_byte_limit_but_give_one(self) -> None:
        file = io.BytesIO(b"a" * 100 + b"\n" + b"b" * 100 + b"\n")
        assert [row.data[:1] for row in last_rows(file, 10, 50).rows] == [b"b"]
        assert last_rows(file, 10, 1000).whole


class TestDecoding:
    def test_damaged_rows_are_counted_and_hide_no_other(self) -> None:
        data = b'{"a":1}\n{"a":\n\x00\xff\xfe rubbish\n{"a":"\xff"}\n{"a":2}\n' + b"[" * 200_000 + b"\n"
        decoder = msgspec.json.Decoder(dict[str, int | str])
        found = decode_rows(decoder, rows_from(io.BytesIO(data), 0))
        assert [value for _, value in found.rows] == [{"a": 1}, {"a": 2}]
        assert found.skipped == 4


class TestCursors:
    def test_a_cursor_fits_a_copy_and_no_other_file(self) -> None:
        data = b"".join(b'{"n":%d}\n' % n for n in range(100))
        text = cursor(io.BytesIO(data), 300)
        assert locate(io.BytesIO(data + b"more\n"), text) == 300
        assert locate(io.BytesIO(data[:200]), text) is None
        assert locate(io.BytesIO(data.replace(b"3", b"7")), text) is None

    @pytest.mark.parametrize("text", ["", "x", "-", "12", "12-zz", "-5-00", "9" * 40 + "-00", "²-0"])
    def test_a_foreign_text_is_no_cursor(self, text: str) -> None:
        assert locate(io.BytesIO(b"a\nb\n"), text) is None


async def test_reading_in_a_thread_raises_what_opening_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await read_in_thread(tmp_path / "none", lambda file: file.read())
    (tmp_path / "one").write_bytes(b"1\n")
    assert await read_in_thread(tmp_path / "one", lambda file: file.read()) == b"1\n"


async def test_a_tail_polls_the_same_from_a_thread(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"x" * 200_000 + b"\n1\n")
    tail = Tail(path)
    assert tail.pending() > transcripts.INLINE_BYTES
    assert [row.data[:1] for row in (await tail.poll_async()).rows] == [b"x", b"1"]
    assert tail.pending() == 0
    assert (await tail.poll_async()).rows == ()
