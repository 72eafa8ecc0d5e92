"""Names, sizes, replay, batches and sessions of the terminal channel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.terminal import (
    LIST_FORMAT,
    OutputBatch,
    SocketSessions,
    TmuxSession,
    check_name,
    choose_shell,
    client_name,
    cut_replay,
    default_name,
    parse_session,
    parse_sessions,
    read_size,
    reason_of_end,
    tmux_name,
)

VECTORS = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "relay" / "pure_function_vectors.json").read_text()
)


@pytest.mark.parametrize("row", VECTORS["tmux_names"], ids=lambda row: repr(row["client"]))
def test_names_are_mapped_as_recorded(row: dict[str, str]) -> None:
    assert tmux_name(row["client"]) == row["tmux"]
    assert client_name(row["tmux"]) == row["back"]


@pytest.mark.parametrize("row", VECTORS["tmux_list_lines"], ids=lambda row: repr(row["line"]))
def test_lines_of_the_list_are_read_as_recorded(row: dict[str, object]) -> None:
    parsed, expected = parse_session(str(row["line"])), row["parsed"]
    if not isinstance(expected, dict):
        assert parsed is None
    else:
        assert parsed == TmuxSession(**expected)


@given(st.text())
def test_a_name_for_tmux_is_a_fixed_point_and_addresses_one_session(name: str) -> None:
    mapped = tmux_name(name)
    assert not set(" \t\n.:\\") & set(mapped)
    back = client_name(mapped)
    assert back is not None and tmux_name(back) == mapped


@pytest.mark.parametrize("said", [7, None, ["a"], "x" * 129, "a\x1b[2J", "a\x00b", "\x9b"])
def test_what_is_no_name_is_refused(said: object) -> None:
    with pytest.raises(ValueError, match="session_name"):
        check_name(said)


def test_names_of_people_pass() -> None:
    assert check_name(" a.b:c d ") == " a.b:c d "
    assert default_name("2de7d20c-1111") == "shell-2de7d20c"


@pytest.mark.parametrize(
    ("columns", "rows", "size"),
    [
        (None, None, (80, 24)),
        (0, -5, (80, 1)),
        ("90", "20", (90, 20)),
        ("", False, (80, 24)),
        (100.7, 30, (100, 30)),
        ("0", " 7 ", (1, 7)),
        (10**9, 10**9, (1000, 500)),
    ],
)
def test_sizes_are_read_as_the_contract_says(columns: object, rows: object, size: tuple[int, int]) -> None:
    assert read_size(columns, rows) == size


def test_a_size_that_is_junk_is_said_in_the_recorded_words() -> None:
    with pytest.raises(ValueError, match=r"^invalid literal for int\(\) with base 10: 'wide'$"):
        read_size("wide", 24)


@pytest.mark.parametrize("said", [[], {}, [1], float("inf"), "9" * 9999])
def test_other_junk_is_a_value_error_too(said: object) -> None:
    with pytest.raises(ValueError):
        read_size(said, 24)


def test_the_first_usable_shell_is_taken() -> None:
    assert choose_shell(["zsh", "", "/no/such", "/bin/x"], lambda path: path == "/bin/x") == "/bin/x"
    assert choose_shell(["zsh"], lambda path: True) == "/bin/sh"


def test_a_replay_keeps_blank_lines_at_its_end() -> None:
    screen = "$ V=alive\n$\n" + "\n" * 22
    assert cut_replay(screen) == screen


def test_a_replay_is_the_last_200_lines_and_65536_characters() -> None:
    text = "".join(f"{number}\n" for number in range(1000))
    assert cut_replay(text) == "".join(f"{number}\n" for number in range(800, 1000))
    assert cut_replay("é" * 70_000 + "\n") == "é" * 65_535 + "\n"


@given(st.text(alphabet="ab\n\r\x85\u2028", max_size=900))
def test_a_replay_is_always_an_end_of_the_text(text: str) -> None:
    assert text.endswith(cut_replay(text))


# --- output ---


def test_output_after_a_pause_goes_at_once_and_then_every_16_ms() -> None:
    batch = OutputBatch()
    assert batch.due_at is None
    batch.add(b"a")
    assert batch.due_at is not None and batch.due_at <= 0
    assert batch.take(10.0) == "a"
    batch.add(b"b")
    assert batch.due_at == pytest.approx(10.016)


def test_4096_bytes_do_not_wait() -> None:
    batch = OutputBatch()
    batch.take(10.0)
    batch.add(b"x" * 4095)
    assert batch.due_at == pytest.approx(10.016)
    batch.add(b"x")
    assert batch.due_at == float("-inf")


@given(st.text(), st.lists(st.integers(min_value=1, max_value=7)))
def test_characters_are_never_cut(text: str, sizes: list[int]) -> None:
    data = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()
    batch, out, at = OutputBatch(), "", 0
    for size in [*sizes, len(data)]:
        batch.add(data[at : at + size])
        at += size
        out += batch.take(0.0)
    assert out + batch.rest() == data.decode()


def test_a_character_that_never_became_whole_is_shown_as_such() -> None:
    batch = OutputBatch()
    batch.add("€".encode()[:2])
    assert batch.take(0.0) == ""
    assert batch.rest() == "\ufffd"


def test_half_a_character_that_tmux_cut_is_left_out() -> None:
    cut = "é€".encode()[:-2] + b"\x1b[18A" + "é".encode()
    for is_from_tmux, shown in ((True, "é\x1b[18Aé"), (False, "é\ufffd\x1b[18Aé")):
        batch = OutputBatch(is_from_tmux=is_from_tmux)
        batch.add(cut)
        assert batch.take(0.0) + batch.rest() == shown


# --- sessions of a socket ---


def test_input_without_a_name_goes_to_what_was_attached_last() -> None:
    table = SocketSessions().attached("a").attached("b")
    assert (table.meant(None), table.meant("a"), table.meant("zzz"), table.meant(3)) == ("b", "a", None, None)
    assert table.attached("a").meant(None) == "a"
    assert table.without("b").meant(None) == "a"
    assert SocketSessions().meant(None) is None


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcdefg"))))
def test_a_socket_never_holds_more_than_four_nor_one_twice(acts: list[tuple[bool, str]]) -> None:
    table = SocketSessions()
    for is_attach, name in acts:
        plan = table.plan(name)
        assert (plan == "full") == (len(table.names) == 4)
        if not is_attach:
            table = table.without(name)
        elif plan != "full":
            assert (plan == "again") == (name in table.names)
            table = table.attached(name)
        assert len(set(table.names)) == len(table.names) <= 4


def test_ends_have_the_reason_that_clients_understand() -> None:
    def reason(**known: object) -> str:
        facts = {"asked": None, "was_killed": False, "session_lives": False, "broke": False, **known}
        return reason_of_end(**facts)  # type: ignore[arg-type]  # a table of facts

    assert reason() == "eof"
    assert reason(was_killed=True) == "client kill"
    assert reason(session_lives=True) == "client detach"
    assert reason(broke=True) == "write failed"
    assert reason(asked="server shutdown", was_killed=True) == "server shutdown"


def test_control_clients_are_not_counted_as_attached() -> None:
    assert LIST_FORMAT.count("\t") == 3
    listed = "hermes-a\t2\t1\t5\nother\t1\t1\t5\nhermes-b\t0\t1\t6\n"
    rows = parse_sessions(listed, "hermes-a\t0\nhermes-a\t1\nother\t1\n")
    assert [(row.name, row.attached) for row in rows] == [("a", 1), ("b", 0)]
