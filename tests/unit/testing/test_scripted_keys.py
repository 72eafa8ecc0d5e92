"""What a terminal sends to a scripted agent, in whatever pieces it comes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.testing.scripted.keys import Key, KeyReader, Paste


def keys(*names: str) -> list[Key | Paste]:
    return [Key(name=name) if len(name) > 1 else Key(text=name) for name in names]


@pytest.mark.parametrize(
    ("data", "read"),
    [
        (b"ab", keys("a", "b")),
        (b"1\r", keys("1", "Enter")),
        ("漢é".encode(), keys("漢", "é")),
        (b"\x1b[A\x1b[B", keys("Up", "Down")),
        (b"\x7f\x15\x03", keys("BSpace", "C-u", "C-c")),
        (b"\x1b[200~two\nlines\x1b[201~\r", [Paste("two\nlines"), *keys("Enter")]),
        (b"\x1b[200~a\rb\x1b[201~", [Paste("a\nb")]),
        (b"\x1b[15~x", keys("x")),
        (b"\x1bx", keys("Escape", "x")),
    ],
)
def test_a_read_becomes_keys(data: bytes, read: list[Key | Paste]) -> None:
    assert KeyReader().feed(data) == read


@given(st.text(alphabet="a漢é🙂\r1", max_size=12), st.data())
def test_pieces_make_no_difference(text: str, data: st.DataObject) -> None:
    """A read may end inside a character or a paste."""
    raw = text.encode() + b"\x1b[200~x\ny\x1b[201~\x1b[A"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=4)))
    reader = KeyReader()
    found: list[Key | Paste] = []
    for begin, end in zip([0, *cuts], [*cuts, len(raw)], strict=True):
        found += reader.feed(raw[begin:end])
    assert found == KeyReader().feed(raw)


def test_an_escape_alone_is_the_escape_key() -> None:
    reader = KeyReader()
    assert reader.feed(b"\x1b") == []
    assert reader.escape() == keys("Escape")
    assert reader.escape() == []
