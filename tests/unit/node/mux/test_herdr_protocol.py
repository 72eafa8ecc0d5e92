"""What is said over Herdr's socket, byte for byte."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.keys import NAMES, Key, parse_keys
from controlroom.node.mux.herdr.protocol import (
    Bytes,
    Garbage,
    Words,
    agent_name,
    event_name,
    is_pane_id,
    parse_answer,
    parse_snapshot,
    request,
    status_word,
    strokes,
    subscriptions,
)


def test_a_request_is_one_line_with_params_even_when_there_are_none() -> None:
    assert request("cr-1", "ping", {}) == b'{"id":"cr-1","method":"ping","params":{}}\n'
    assert request("cr-1", "m", {"text": "a\nb"}).count(b"\n") == 1


def test_an_error_without_an_id_belongs_to_the_connection() -> None:
    answer = parse_answer(b'{"id":"","error":{"code":"invalid_request","message":"x"}}', "cr-7")
    assert answer.is_unknown_method
    answer = parse_answer(b'{"id":"cr-7","error":{"code":"pane_not_found"}}', "cr-7")
    assert answer.failure is not None and not answer.is_unknown_method


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"id":"cr-7"}',
        b'{"id":"cr-8","result":{}}',
        b'{"id":"cr-8","error":{"code":"x"}}',
        b'{"result":{}}',
        b'{"id":7,"result":{}}',
    ],
)
def test_what_is_no_answer_to_this_request_is_garbage(line: bytes) -> None:
    with pytest.raises(Garbage):
        parse_answer(line, "cr-7")


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_garbage(line: bytes) -> None:
    for read in (
        lambda: parse_answer(line, "cr-7"),
        lambda: event_name(line),
        lambda: parse_snapshot(msgspec.Raw(line)),
    ):
        try:
            read()
        except Garbage:
            pass


def test_both_spellings_of_events_are_one_name() -> None:
    assert event_name(b'{"event":"pane.agent_status_changed","data":{}}') == "pane_agent_status_changed"
    assert event_name(b'{"event":"pane_exited","data":{"type":"pane_exited"},"more":1}') == "pane_exited"


def test_the_status_of_each_agents_pane_is_subscribed_to_and_of_no_other() -> None:
    entries = subscriptions(["w1:p1", "w1:p2"])
    assert [entry["pane_id"] for entry in entries if "pane_id" in entry] == ["w1:p1", "w1:p2"]
    assert all(entry["type"] == "pane.agent_status_changed" for entry in entries if "pane_id" in entry)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("idle", "idle"),
        ("done", "idle"),  # a read receipt of Herdr's own window
        ("working", "working"),
        ("blocked", "blocked"),
        ("unknown", "unknown"),
        ("dreaming", "unknown"),
    ],
)
def test_done_and_idle_are_one(said: str, word: str) -> None:
    assert status_word(said) == word


def test_keys_go_by_words_where_all_versions_know_them_and_as_bytes_else() -> None:
    keys = parse_keys(["Down", "Enter", "y", "+", "S-Tab", "PageUp", "C-c", "M-b", "F5", "C-Left", "Home"])
    assert strokes(keys) == [
        Words(("down", "enter")),
        Bytes("y+\x1b[Z\x1b[5~"),
        Words(("ctrl+c", "alt+b", "f5")),
        Bytes("\x1b[1;5D\x1b[H"),
    ]


def test_every_key_of_the_allowlist_has_a_way() -> None:
    for name in NAMES:
        (stroke,) = strokes([Key(name)])
        assert stroke.keys if isinstance(stroke, Words) else stroke.text


@pytest.mark.parametrize(
    ("name", "own"),
    [("pears", "pears"), ("a-1_b", "a-1_b"), ("Pears", None), ("two words", None), ("1a", None), ("", None)],
)
def test_a_name_is_herdrs_only_where_its_grammar_allows_it(name: str, own: str | None) -> None:
    assert agent_name(name) == own
    assert agent_name("a" * 33) is None


@pytest.mark.parametrize(
    "text", ["", "w1", "w1:", ":p1", "p1:w1", "w1:p", "w1:p1;x", "w1:p1 ", "w1:t1", "%1"]
)
def test_only_ids_of_panes_are_sent_as_such(text: str) -> None:
    assert not is_pane_id(text)
    assert is_pane_id("w1:p3") and is_pane_id("wA:p1Z")


def test_a_snapshot_keeps_what_can_be_read() -> None:
    good = {"pane_id": "w1:p1", "terminal_id": "term_1", "new_field": [1]}
    panes = [good, {"pane_id": "w1:p2"}, 7, {"pane_id": "w1:p3", "terminal_id": None}]
    layouts = [{"panes": [{"pane_id": "w1:p1", "rect": {"x": 0, "y": 0, "width": 90, "height": 30}}]}, "odd"]
    body = {"version": "9", "protocol": 99, "panes": panes, "layouts": layouts}
    found = parse_snapshot(msgspec.Raw(msgspec.json.encode({"snapshot": body})))
    assert [pane.pane_id for pane in found.panes] == ["w1:p1"]
    assert (found.sizes, found.skipped, found.protocol) == ({"w1:p1": (90, 30)}, 4, 99)
