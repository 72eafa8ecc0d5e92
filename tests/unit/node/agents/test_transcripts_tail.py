"""The tail of a growing file: every row once, whatever happens to the file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controlroom.node.agents.transcripts import Tail


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def texts(tail: Tail) -> list[bytes]:
    return [row.data for row in tail.poll().rows]


def test_rows_come_once_and_half_rows_when_they_are_whole(path: Path) -> None:
    path.write_bytes("é1\né2".encode())
    tail = Tail(path)
    first = tail.poll()
    assert (first.reset, first.whole) == (True, True)
    assert [row.data for row in first.rows] == ["é1".encode()]
    append(path, "é".encode()[:1])
    assert texts(tail) == []
    append(path, "é".encode()[1:] + b"\n3\n")
    assert texts(tail) == ["é2é".encode(), b"3"]
    assert texts(tail) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=12))
def test_writes_torn_anywhere_lose_and_repeat_nothing(tmp_path: Path, cuts: list[int]) -> None:
    whole = b"".join(b'{"row":%d,"t":"\xe6\xbc\xa2"}\n' % n for n in range(6))
    path = tmp_path / "torn.jsonl"
    path.write_bytes(b"")
    tail, seen, at = Tail(path), list[bytes](), 0
    for cut in [*cuts, len(whole)]:
        append(path, whole[at : at + cut])
        at += cut
        seen += texts(tail)
    assert seen == whole.splitlines()


def test_only_the_last_rows_come_first(path: Path) -> None:
    path.write_bytes(b"".join(b"%d\n" % n for n in range(100)))
    batch = Tail(path, max_rows=3).poll()
    assert [row.data for row in batch.rows] == [b"97", b"98", b"99"]
    assert not batch.whole


def test_a_cut_file_is_read_again(path: Path) -> None:
    path.write_bytes(b"1\n2\n3\n")
    tail = Tail(path)
    tail.poll()
    path.write_bytes(b"1\n")
    batch = tail.poll()
    assert batch.reset
    assert [row.data for row in batch.rows] == [b"1"]


def test_a_replaced_file_is_read_again(path: Path) -> None:
    path.write_bytes(b"1\n2\n")
    tail = Tail(path)
    tail.poll()
    other = path.with_suffix(".new")
    other.write_bytes(b"1\n2\n3\n")
    other.replace(path)
    batch = tail.poll()
    assert batch.reset
    assert len(batch.rows) == 3


def test_a_file_rewritten_in_place_and_longer_is_noticed(path: Path) -> None:
    path.write_bytes(b"1\n2\n")
    tail = Tail(path)
    tail.poll()
    with path.open("r+b") as file:
        file.write(b"8\n9\n7\n")
    batch = tail.poll()
    assert batch.reset
    assert [row.data for row in batch.rows] == [b"8", b"9", b"7"]


def test_a_jump_of_more_than_the_limit_begins_again_at_the_end(path: Path) -> None:
    path.write_bytes(b"1\n")
    tail = Tail(path, max_rows=2, max_bytes=100)
    tail.poll()
    append(path, b"".join(b"%d\n" % n for n in range(1000)))
    batch = tail.poll()
    assert batch.reset
    assert [row.data for row in batch.rows] == [b"998", b"999"]
    append(path, b"x\n")
    assert texts(tail) == [b"x"]


def test_a_missing_file_is_told_from_an_empty_one_and_may_come_back(path: Path) -> None:
    tail = Tail(path)
    assert tail.poll().missing
    path.write_bytes(b"")
    assert tail.poll() == tail.poll()._replace(reset=True, whole=True)
    append(path, b"1\n")
    assert texts(tail) == [b"1"]
    path.unlink()
    gone = tail.poll()
    assert (gone.missing, gone.reset) == (True, True)
    assert not tail.poll().reset
    path.write_bytes(b"2\n")
    assert texts(tail) == [b"2"]


def test_a_new_file_time_alone_gives_no_rows(path: Path) -> None:
    path.write_bytes(b"1\n")
    tail = Tail(path)
    tail.poll()
    os.utime(path, (1, 1))
    batch = tail.poll()
    assert (batch.rows, batch.reset) == ((), False)


def test_an_unreadable_file_raises_and_keeps_its_place(path: Path) -> None:
    path.mkdir()
    tail = Tail(path)
    with pytest.raises(IsADirectoryError):
        tail.poll()
    assert tail.offset == 0
