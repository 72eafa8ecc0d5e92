"""What a reply becomes in a chat."""

from __future__ import annotations

import pytest

from controlroom.node.agents.replies import reply_kind, result_of
from controlroom.wire.model import ResultParts

RESULT = "Result: done well\nChanged: a\nChecked: b\nNot done: c\nLook at: d"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Status: printing labels", None),
        ("Hello", "assistant"),
        (RESULT, "result"),
        ("> Result: quoted\n> Changed: x", "assistant"),
    ],
)
def test_the_kind_of_bubble(text: str, kind: str | None) -> None:
    assert reply_kind(text) == kind


def test_a_result_in_parts() -> None:
    assert result_of("result", RESULT) == ResultParts(
        sentence="done well", changed="a", checked="b", not_done="c", look_at="d"
    )


def test_what_stands_around_a_result_is_its_body() -> None:
    parts = result_of("result", f"First words.\r\n\r\n{RESULT}\n\nLast words.")
    assert parts is not None
    assert (parts.sentence, parts.look_at) == ("done well", "d")
    assert parts.body == "First words.\n\nLast words."


def test_only_results_have_parts() -> None:
    assert result_of("assistant", RESULT) is None
    assert result_of("result", "nothing") is None
