"""What a reply becomes in a chat."""

from __future__ import annotations

import pytest

from controlroom.node.agents.replies import asks_among, asks_of, reply_kind, result_of
from controlroom.wire.codec import encode
from controlroom.wire.model import Item, ResultParts
from controlroom.wire.node import AskedBlock, AskedOption, ReplyAsks, ResolvedLine

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


ASKS = """All done.

Question for Founder: Move the old invoices too?
- Yes, all of them (recommended): they fit
- No: they stay
Default: I move them by 18:00

Resolved for Founder: Which printer?: the new one"""


def test_what_a_reply_asks() -> None:
    asked = asks_of("i1", 5, ASKS)
    assert asked == ReplyAsks(
        item_id="i1",
        at_ms=5,
        questions=(
            AskedBlock(
                question="Move the old invoices too?",
                raw=ASKS.split("\n\n")[1],
                options=(
                    AskedOption(key="1", label="Yes, all of them", what="they fit", recommended=True),
                    AskedOption(key="2", label="No", what="they stay"),
                ),
                default="I move them",
                by="18:00",
            ),
        ),
        resolved=(ResolvedLine(text="Which printer?", why="the new one"),),
    )


@pytest.mark.parametrize("text", ["Hello", "Status: busy", "> Question for Founder: quoted?", RESULT])
def test_most_replies_ask_nothing(text: str) -> None:
    assert asks_of("i1", 5, text) is None


def test_a_huge_block_is_cut_and_says_so() -> None:
    options = "\n".join(f"- Way {at}: {'x' * 20_000}" for at in range(60))
    text = f"Question for Founder: {'Why? ' * 1000}\n{options}\nBlocking: yes\nContext: {'c' * 1_000_000}"
    asked = asks_of("i1", 5, text)
    assert asked is not None
    (block,) = asked.questions
    assert len(encode(asked)) < 120_000
    assert (len(block.question), len(block.options), len(block.context)) == (2_000, 50, 4_000)
    assert block.problem == (
        "It is too long; cut: question, context, options after the first 50, text of an option."
    )


def test_the_blocks_of_one_reply_are_limited() -> None:
    text = "\n\n".join(f"Question for Founder: Number {at}?\nBlocking: yes" for at in range(500))
    asked = asks_of("i1", 5, text)
    assert asked is not None and (len(asked.questions), asked.more) == (50, 450)


def test_only_replies_ask() -> None:
    items = [Item(id=kind, at_ms=1, kind=kind, text=ASKS) for kind in ("user", "tool", "helper", "notice")]
    assert asks_among(items) == ()
    assert len(asks_among([Item(id="i1", at_ms=1, kind="question", text=ASKS)])) == 1
