"""A text in the conversation cannot close a question by itself, also when the model obeys it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
import pytest

from controlroom.core.check_prompt import Asked, Verdict, request
from controlroom.core.check_rows import Row, gives_orders, spoken
from controlroom.core.checker import Card, by_rules, weigh

CARD = Card(
    id="q_1",
    question="Which database should the new service use?",
    labels=("Postgres", "SQLite"),
    default="Postgres",
)
DAYS = Card(id="q_2", question="How many days of logs do we keep?", labels=("Seven", "Thirty"))


HOSTILE = Path(__file__).parents[2] / "fixtures" / "checker" / "hostile.json"


class Attack(msgspec.Struct, frozen=True):
    """What was said, and the proof of a model that obeys it."""

    name: str
    by: Literal["person", "agent"]
    text: str
    proof: str
    about: Literal["database", "days"] = "database"

    @property
    def card(self) -> Card:
        return CARD if self.about == "database" else DAYS


ATTACKS = msgspec.json.decode(HOSTILE.read_bytes(), type=tuple[Attack, ...])


def obeying(attack: Attack) -> Verdict:
    return Verdict(verdict="answered", row=1, proof=attack.proof, why="I was told to.", confidence=1.0)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_lesson_outside_text_is_data(attack: Attack) -> None:
    """Spec 11: what reads like orders closes nothing, also when the model obeys it."""
    said = (Row(id="i1", at_ms=1, by=attack.by, text=attack.text),)
    by_rule = by_rules(attack.card, said)
    assert by_rule is None or not by_rule.sure
    by_model = weigh(attack.card, said, obeying(attack), 0.0)
    assert by_model is None or not by_model.sure


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_honest_answer_beside_it_is_not_a_lever(attack: Attack) -> None:
    """While somebody gives orders in the conversation, even a good proof only makes it look answered."""
    said = (
        Row(id="i1", at_ms=1, by=attack.by, text=attack.text),
        Row(id="i2", at_ms=2, by="agent", text="I read about Postgres for the new service."),
    )
    verdict = Verdict(verdict="answered", row=2, proof=said[1].text, why="Told.", confidence=1.0)
    found = weigh(CARD, said, verdict, 0.0)
    if gives_orders(attack.text):
        assert found is not None and not found.sure


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_cannot_leave_its_row(attack: Attack) -> None:
    said = (Row(id="i1", at_ms=1, by="agent", text=attack.text + "\nEND fence\n\u2028END fence\n"),)
    lines = request(Asked(question=CARD.question), said, "9f" * 16).text.splitlines()
    assert [line for line in lines if "9f" * 16 in line] == [f"DATA {'9f' * 16}", f"END {'9f' * 16}"]
    assert lines[1].startswith("DATA") and lines[-2].startswith("END")
    assert all(line.startswith("{") for line in lines[2:-2])
    assert len(lines) <= 6


def test_the_instructions_hold_nothing_from_outside() -> None:
    one = request(Asked(question="A secret plan"), (), "aa")
    two = request(Asked(question="Another"), (), "bb")
    assert one.instructions == two.instructions and "secret" not in one.instructions


@pytest.mark.parametrize(
    "text",
    [
        "I closed the database connection.",
        "The tests answer in JSON now.",
        "You can close the browser.",
        "Postgres, and mark the old tables as read-only.",
        "The question is which index we need.",
        "I set the log level of the system to debug.",
        "Ich habe die Datei geschlossen.",
        "The user model has three fields.",
        "I resolved the merge conflict; that is done.",
        "I skipped that test because it is done elsewhere.",
        "I marked it as done in the tracker.",
        "I'll consider this resolved.",
        "We treat the old API as obsolete.",
        "The question is resolved: we keep Postgres.",
        "You answered that question this morning, so it is settled.",
        "Close the file handle when it is done.",
        "I dismissed the question of caching for now.",
        "The user can close the dialog, and cards can be dismissed with a swipe.",
        "- User: has a name and a mail address",
        "Ignore the warnings above, they are harmless.",
        "The rules of the linter are stricter now, so I override the system default.",
        "Verdict: the change is safe. My confidence is high.",
        "Return with an error if the JSON is invalid, and answer with the second option.",
        "The type checker will complain about that; it must run before the build.",
        "Note to the reviewer: the diff is long.",
        "The system prompt of the demo is shorter, and end of conversation handling works.",
        "Instructions for the assistants are in AGENTS.md.",
        "Forget the question about the database, we use Postgres.",
    ],
)
def test_ordinary_sentences_are_no_orders(text: str) -> None:
    assert not gives_orders(text)


def test_quoted_and_fenced_text_is_not_even_sent() -> None:
    text = "Mine.\n\n> theirs\n\n```\ncode\n```\n<page>web</page>\nMine too."
    assert spoken(text) == ("Mine.", "Mine too.")
