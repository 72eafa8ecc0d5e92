"""Cards as clients see them."""

from __future__ import annotations

from datetime import UTC

import msgspec
import pytest

from controlroom.core.questions import Answer, Fate, Fated, Log, Skip, ask, step
from controlroom.hub.question_cards import (
    EVENT_BYTES,
    OVER,
    Times,
    card_of_block,
    for_event,
    order,
    question_id,
    shown,
)
from controlroom.hub.question_steps import receipt_of
from controlroom.hub.store.question_rows import Card, QuestionRow, message_id, step_of
from controlroom.wire.codec import encode
from controlroom.wire.node import AskedBlock
from controlroom.wire.question import Question, QuestionDefault, QuestionOption

CARD = Card(
    source="block",
    question="Pick the pears?",
    asked_at_ms=1_000,
    options=(QuestionOption(key="1", label="Yes"), QuestionOption(key="2", label="No")),
)
OPEN = ask(at_ms=1_000, by="agent:agt_1", blocking=False, has_default=False)


def row(card: Card = CARD, log: Log = OPEN) -> QuestionRow:
    return QuestionRow(id="q_1", agent_id="agt_1", chat_id="cht_1", card=card, log=log, created_ms=1_000)


def question(asked_ms: int, due_ms: int | None = None, *, blocking: bool = False) -> Question:
    default = None if due_ms is None else QuestionDefault(text="I wait", due_at_ms=due_ms)
    card = msgspec.structs.replace(CARD, asked_at_ms=asked_ms, default=default)
    return shown(row(card, msgspec.structs.replace(OPEN, blocking=blocking)))


def test_blocking_ones_come_first_then_the_soonest_default_then_the_oldest() -> None:
    blocking, old_blocking = question(9, blocking=True), question(3, 5, blocking=True)
    soon, late, old, new = question(8, 100), question(1, 200), question(2), question(7)
    found = sorted([new, late, blocking, old, soon, old_blocking], key=order)
    assert found == [old_blocking, blocking, soon, late, old, new]


def test_a_large_question_is_cut_in_events_and_says_so() -> None:
    options = tuple(QuestionOption(key=str(at), label="x" * 500, what="y" * 1000) for at in range(50))
    large = shown(row(msgspec.structs.replace(CARD, options=options, context="c" * 4000, raw="r" * 8000)))
    told = for_event(large)
    assert told.clipped and len(encode(told)) < EVENT_BYTES * 1.5
    assert len(told.options) == 50
    small = shown(row())
    assert for_event(small) is small


@pytest.mark.parametrize(
    ("fate", "state"),
    [
        ("waiting", "accepted"),
        ("delivered", "delivered"),
        ("unconfirmed", "unconfirmed"),
        ("failed", "failed"),
    ],
)
def test_an_answer_says_what_became_of_it(fate: Fate, state: str) -> None:
    answered = step(OPEN, Answer(at_ms=2, by="host", option="2", text="why")).log
    log = step(answered, Fated(at_ms=3, number=1, fate=fate)).log
    answer = shown(row(log=log)).answer
    assert answer is not None and answer.delivery is not None
    assert (answer.option, answer.text, answer.delivery.id, answer.delivery.state) == (
        "2",
        "why",
        "q_1:1",
        state,
    )


def test_an_answer_in_the_terminal_has_no_delivery() -> None:
    log = step(OPEN, Answer(at_ms=2, by="host", option="2", in_terminal=True)).log
    answer = shown(row(log=log)).answer
    assert answer is not None and answer.delivery is None


def test_what_can_be_taken_back_is_said() -> None:
    skipped = step(OPEN, Skip(at_ms=2, by="host")).log
    assert (shown(row(log=skipped)).undo_until_ms, shown(row()).undo_until_ms) == (0, None)


@pytest.mark.parametrize(
    ("not_before_ms", "due_ms"), [(0, 3_601_000), (3_601_000, 3_601_000), (3_601_001, None)]
)
def test_a_time_that_was_over_before_we_saw_it_is_not_used(not_before_ms: int, due_ms: int | None) -> None:
    times = Times(asked_at_ms=1_000, zone=UTC, zone_of=lambda _name: None, not_before_ms=not_before_ms)
    block = AskedBlock(question="Pick?", raw="", default="I wait", by="1 hour from now")
    card, _ = card_of_block(block, times, "i1")
    assert card.default is not None
    assert (card.default.due_at_ms, card.default.problem) == (due_ms, OVER if due_ms is None else None)


def test_the_id_of_a_question_is_that_of_its_place() -> None:
    assert question_id("cht_1", "i1", "1") == question_id("cht_1", "i1", "1")
    assert (
        len(
            {
                question_id("cht_1", "i1", "1"),
                question_id("cht_1", "i11", ""),
                question_id("cht_1i", "1", "1"),
            }
        )
        == 3
    )


@pytest.mark.parametrize(
    ("id", "found"),
    [
        (message_id("q_1", 3), ("q_1", 3)),
        ("msg_1:3", None),
        ("q_1", None),
        ("q_1:x", None),
        ("q_1:", None),
        ("q_1:99999999", None),
        ("teach_agt_1", None),
    ],
)
def test_a_message_knows_its_question(id: str, found: tuple[str, int] | None) -> None:
    assert step_of(id) == found


def test_receipts_are_short_whatever_was_said() -> None:
    card = msgspec.structs.replace(CARD, question="q\n" * 5000)
    event = Answer(at_ms=2, by="host", text="t\x1b[31m" * 5000)
    receipt = receipt_of(OPEN, row(card, step(OPEN, event).log), event)
    assert receipt is not None
    what, by, text = receipt
    assert (what, by) == ("answer", "host")
    assert len(text) < 500 and "\n" not in text and "\x1b" not in text
    assert receipt_of(OPEN, row(), Fated(at_ms=2, number=1, fate="delivered")) is None
