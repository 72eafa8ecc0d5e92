"""Commands to tmux and its answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.keys import Key
from controlroom.core.screen import Cursor
from controlroom.node.mux.base import PaneRef
from controlroom.node.mux.tmux import protocol
from controlroom.node.mux.tmux.protocol import Block, Session


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("plain", '"plain"'),
        ("", '""'),
        ("two words ; three", '"two words ; three"'),
        ('say "x"', '"say \\"x\\""'),
        ("$HOME \\ ~/x", '"\\$HOME \\\\ \\176/x"'),
        ("a\nb\tc\r", '"a\\nb\\tc\\r"'),
        ("\x1b\x07", '"\\033\\007"'),
        ("#{pid} 'é' {%}", "\"#{pid} 'é' {%}\""),
    ],
)
def test_a_word_is_quoted(word: str, quoted: str) -> None:
    assert protocol.quote(word) == quoted


@given(st.text())
def test_a_quoted_word_is_one_line_without_open_quotes(word: str) -> None:
    quoted = protocol.quote(word)
    assert not any(character < " " for character in quoted)
    inside = quoted[1:-1].replace("\\\\", "")
    assert '"' not in inside.replace('\\"', "")
    assert "$" not in inside.replace("\\$", "")


def test_a_request_ends_with_its_nonce_on_a_line_of_its_own() -> None:
    written = protocol.request("n0nce", protocol.line("a", "b"), "c")
    assert written == b'a ; b\nc\ndisplay-message "-p" "n0nce"\n'


# --- sessions ---


def test_sessions_tell_the_server_too() -> None:
    facts = protocol.parse_sessions(
        "12|1796045816|3.3a|$0|1796045816|0\n12|1796045816|3.3a|$3|1796045820|on\n"
    )
    assert facts == protocol.ServerFacts(
        12, "3.3a", (Session("$0", 1796045816, True), Session("$3", 1796045820, False))
    )


@pytest.mark.parametrize("output", ["", "\n", "no sessions\n", "a|b|c|$0|1|0\n", "1|2|3.3a|0|1|0\n"])
def test_no_row_of_a_session_is_no_session(output: str) -> None:
    assert protocol.parse_sessions(output) is None


@pytest.mark.parametrize(
    ("sessions", "chosen"),
    [
        ([("$5", 100, True), ("$2", 200, True)], "$5"),
        ([("$5", 100, True), ("$2", 100, True)], "$2"),
        ([("$10", 100, True), ("$9", 100, True)], "$9"),
        ([("$0", 100, False), ("$1", 200, True)], "$1"),
        ([("$1", 200, False), ("$0", 100, False)], "$0"),
    ],
)
def test_the_oldest_session_that_needs_nobody_is_chosen(
    sessions: list[tuple[str, int, bool]], chosen: str
) -> None:
    assert protocol.to_attach(tuple(Session(*each) for each in sessions)) == chosen


@pytest.mark.parametrize(
    ("version", "is_old"),
    [
        ("tmux 3.3a", False),
        ("3.2", False),
        ("tmux 3.1c", True),
        ("2.9a", True),
        ("tmux next-3.7", False),
        ("tmux 10.0", False),
        ("tmux master", False),
        ("tmux openbsd-7.4", False),
        ("", False),
    ],
)
def test_which_versions_are_too_old(version: str, is_old: bool) -> None:
    assert protocol.is_too_old(version) is is_old


# --- panes ---

SEPARATOR = "5e9a"


def listing(*rows: tuple[str, ...]) -> Block:
    text = "\n".join(SEPARATOR + SEPARATOR.join(row) + SEPARATOR for row in rows)
    return Block(tuple(text.encode("utf-8", "surrogateescape").split(b"\n")))


def row(
    pane: str = "%0", free: tuple[str, ...] = ("", "s", "w", "", "title", "node", "/home")
) -> tuple[str, ...]:
    return (f"{pane}|12|34|56|80|24|1|2|0|1796045816", *free)


def test_a_pane_of_a_listing() -> None:
    (pane,) = protocol.parse_panes([listing(row())], SEPARATOR, "/s")
    assert pane.ref == PaneRef("tmux", "/s", "%0")
    assert (pane.incarnation, pane.pid, pane.width, pane.height) == ("12@34", 56, 80, 24)
    assert (pane.alternate, pane.in_mode, pane.dead, pane.active_at_s) == (True, True, False, 1796045816)
    assert (pane.session, pane.window, pane.title, pane.command, pane.folder) == (
        *("s", "w", "title", "node"),
        "/home",
    )


def test_no_panes_are_an_empty_listing() -> None:
    assert protocol.parse_panes([Block(())], SEPARATOR, "/s") == []


def test_a_window_in_two_sessions_is_one_pane() -> None:
    assert len(protocol.parse_panes([listing(row(), row("%1"), row())], SEPARATOR, "/s")) == 2


def test_free_text_stays_in_its_field() -> None:
    hostile = ("t\ny", "a|b", "%end 1 2 1\n", "\x1b[31m", "x" * 999, "\udcff\u202e", "/a\nb" + "c" * 300)
    (pane, other) = protocol.parse_panes([listing(row(free=hostile), row("%1"))], SEPARATOR, "/s")
    assert other.ref.id == "%1"
    assert pane.session == "a|b"
    assert pane.window == "%end 1 2 1"
    assert len(pane.title) == 200
    assert pane.command == "\ufffd"
    assert pane.folder == "/a b" + "c" * 300


@pytest.mark.parametrize(
    "blocks",
    [
        [],
        [Block(()), Block(())],
        [Block((b"no server",), ok=False)],
        [Block((b"text without the separator",))],
        [listing(("%0|12", *("x",) * 7))],
        [listing(row()[:-1])],
        [listing(("a|b|c|d|e|f|g|h|i|j", *("x",) * 7))],
    ],
)
def test_another_answer_is_no_listing(blocks: list[Block]) -> None:
    with pytest.raises(ValueError, match=r"."):
        protocol.parse_panes(blocks, SEPARATOR, "/s")


# --- screens ---


def screen_blocks(
    head: bytes = b"%0 20 2 3 1 1 0 my title", rows: tuple[bytes, ...] = (b"a", b"b")
) -> list[Block]:
    return [Block((head,)), Block(rows)]


def test_a_screen_is_its_facts_and_its_rows() -> None:
    capture = protocol.parse_screen(screen_blocks(), "%0")
    assert capture == protocol.Capture(b"a\nb", 20, 2, Cursor(1, 3), False, "my title")


def test_a_title_may_hold_anything() -> None:
    head = b"%0 20 2 3 1 0 1 1 2 3 \x1b]x\xff"
    capture = protocol.parse_screen(screen_blocks(head), "%0")
    assert (capture.title, capture.alternate, capture.cursor.visible) == ("1 2 3  ]x\ufffd", True, False)


@pytest.mark.parametrize(
    "blocks",
    [
        [],
        screen_blocks()[:1],
        [*screen_blocks(), Block(())],
        screen_blocks(rows=(b"a",)),
        screen_blocks(rows=(b"a", b"b", b"c")),
        screen_blocks(b"%1 20 2 3 1 1 0 another pane"),
        screen_blocks(b" 20 2 3 1 1 0 t"),
        screen_blocks(b"nonsense"),
        [Block((b"%0 20 2 3 1 1 0 t", b"two")), Block((b"a", b"b"))],
        [screen_blocks()[0], Block((b"a", b"b"), ok=False)],
    ],
)
def test_a_screen_of_another_shape_is_thrown_away(blocks: list[Block]) -> None:
    with pytest.raises(ValueError, match=r"."):
        protocol.parse_screen(blocks, "%0")


def test_a_vanished_pane_is_known_by_its_error() -> None:
    assert protocol.is_gone([Block((b"",)), Block((b"can't find pane: %9",), ok=False)])
    assert not protocol.is_gone([Block((b"can't find pane: %9",))])
    assert not protocol.is_gone([Block((b"no buffer x",), ok=False)])


@pytest.mark.parametrize("text", ["", "0", "%", "%0 ", "%0;", "%0\n", "%٣", "main:0", "$0", "%1234567890"])
def test_only_ids_address_panes(text: str) -> None:
    assert protocol.is_pane_id("%0") and protocol.is_pane_id("%123")
    assert not protocol.is_pane_id(text)


# --- typing ---


def typed(state: bytes, *more: Block) -> str:
    return protocol.parse_typing([Block(()), Block((state,)), Block(()), *more], "%0")


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (b"%0|0|0|0|0", ""),
        (b"%0||||", ""),
        (b"%0|0|1|0|0", "switched off"),
        (b"%0|0|0|1|0", "synchronize-panes"),
        (b"%0|0|0|0|1", "could not be left"),
        (b"%0|0|0|0|2", "could not be left"),
    ],
)
def test_what_stands_in_the_way_of_typing(state: bytes, reason: str) -> None:
    assert (reason in typed(state)) if reason else typed(state) == ""


@pytest.mark.parametrize("state", [b"||||", b"%0|1|0|0|0", b"%1|0|0|0|0"])
def test_a_dead_or_missing_pane_cannot_be_typed_into(state: bytes) -> None:
    with pytest.raises(LookupError):
        typed(state)
    with pytest.raises(LookupError):
        protocol.parse_typing([Block((b"can't find pane: %0",), ok=False)], "%0")


def test_an_error_behind_the_check_means_that_it_is_not_known() -> None:
    with pytest.raises(ValueError, match="no buffer"):
        typed(b"%0|0|0|0|0", Block((b"no buffer x",), ok=False))


@pytest.mark.parametrize("blocks", [[], [Block((b"two", b"rows"))], [Block((b"a|b|c",))]])
def test_no_state_at_all_means_that_it_is_not_known(blocks: list[Block]) -> None:
    with pytest.raises(ValueError, match=r"."):
        protocol.parse_typing(blocks, "%0")


def test_keys_are_pressed_by_name_or_as_they_are() -> None:
    assert protocol.key_command("%0", Key("Enter")) == 'send-keys "-t" "%0" "Enter"'
    assert protocol.key_command("%0", Key("-", literal=True)) == 'send-keys "-t" "%0" "-l" "--" "-"'


def test_only_buffers_of_ours_are_deleted() -> None:
    listed = [Block((b"controlroom-0a", b"theirs", b"controlroom-x; kill-server", b"controlroom-1b"))]
    deleted = 'delete-buffer "-b" "controlroom-0a" ; delete-buffer "-b" "controlroom-1b"'
    assert protocol.delete_buffers_line(listed) == deleted
    assert protocol.delete_buffers_line([Block((b"controlroom-0a",), ok=False)]) == ""


# --- history ---


def history(kept: int, *rows: bytes, height: int = 2) -> list[Block]:
    return [Block((f"%0 80 {height} {kept} 0".encode(),)), Block(rows)]


def test_a_history_is_cut_to_what_was_asked_for_and_each_row_stands_alone() -> None:
    read = protocol.parse_scrollback(history(1, b"\x1b[31mold", b"screen", b"\x1b[39mend"), "%0", 2)
    assert (read.rows, read.width, read.height, read.kept) == (("screen", "end"), 80, 2, 1)
    assert read.ansi == ("\x1b[0;31mscreen\x1b[0m", "end")


@pytest.mark.parametrize(
    "blocks",
    [
        [],
        history(5, b"a", b"b", b"c"),  # a row that imitated an end has cut it
        [Block((b"%1 80 2 0 0",)), Block((b"a", b"b"))],
        [Block((b"can't find pane: %0",), ok=False)],
    ],
)
def test_another_answer_is_no_history(blocks: list[Block]) -> None:
    with pytest.raises(ValueError, match=r"."):
        protocol.parse_scrollback(blocks, "%0", 100)
