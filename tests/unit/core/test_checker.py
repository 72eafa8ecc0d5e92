"""The checker's rules, and what a verdict is worth."""

from __future__ import annotations

import pytest

from controlroom.core.check_prompt import Verdict
from controlroom.core.check_rows import Row
from controlroom.core.checker import Card, Finding, by_rules, weigh, worth_asking

DATABASE = Card(
    id="q_1", question="Which database should the new service use?", labels=("Postgres", "SQLite")
)
INVOICES = Card(
    id="q_2", question="Move the old invoices too?", labels=("Yes, all of them", "No, only this year")
)
SHIP = Card(id="q_3", question="Ship the beta today?", labels=("Yes", "No"))


def rows(*said: str) -> tuple[Row, ...]:
    """``p:`` is the person, ``a:`` the agent."""
    who = {"p": "person", "a": "agent"}
    return tuple(
        Row(id=f"i{at}", at_ms=at, by=who[text[0]], text=text[2:])  # type: ignore[arg-type] # of a table
        for at, text in enumerate(said)
    )


def says(proof: str, confidence: float = 0.95, row: int = 1, verdict: str = "answered") -> Verdict:
    return Verdict(
        verdict=verdict,  # type: ignore[arg-type] # of a table
        row=row,
        proof=proof,
        why="So it was said.",
        confidence=confidence,
    )


SURE = [
    (DATABASE, ("p:Postgres",)),
    (DATABASE, ("p:Let's go with **Postgres**, thanks!",)),
    (DATABASE, ("a:The tests are green.", "p:ok, use SQLite please")),
    (DATABASE, ("p:Nimm Postgres, bitte.",)),
    (DATABASE, ("p:D'accord, prends SQLite, merci.",)),
    (INVOICES, ("p:yes, all of them",)),
    (SHIP, ("p:Yes",)),
    (SHIP, ("p:No, thanks.",)),
    (DATABASE, ("a:The question “Which database should the new service use?” is settled: it is Postgres.",)),
    (INVOICES, ("a:“Move the old invoices too?” is no longer relevant, the archive is gone.",)),
]


@pytest.mark.parametrize(("card", "said"), SURE, ids=lambda part: str(part)[:60])
def test_rules_close_what_is_certain(card: Card, said: tuple[str, ...]) -> None:
    found = by_rules(card, rows(*said))
    assert found is not None and found.sure
    assert any(found.proof in text for text in said)


HINTS = [
    (DATABASE, ("p:Postgres looks good, and add an index on the names.",)),
    (DATABASE, ("a:Which one do you use at home?", "p:Postgres")),
    (DATABASE, ("a:I went with Postgres for now.",)),
    (DATABASE, ("a:That question about the database of the service is settled.",)),
    (INVOICES, ("a:Done: I moved the old invoices.",)),
]


@pytest.mark.parametrize(("card", "said"), HINTS, ids=lambda part: str(part)[:60])
def test_rules_only_mark_what_merely_looks_so(card: Card, said: tuple[str, ...]) -> None:
    found = by_rules(card, rows(*said))
    assert found is not None and not found.sure


NOTHING = [
    (DATABASE, ()),
    (DATABASE, ("p:How are the tests?",)),
    (DATABASE, ("p:Not Postgres.",)),
    (DATABASE, ("p:Is Postgres faster?",)),
    (DATABASE, ("p:Postgres.", "p:No, SQLite.")),
    (DATABASE, ("p:Maybe Postgres",)),
    (DATABASE, ("a:I recommend Postgres.",)),
    (DATABASE, ("a:Shall I use Postgres?",)),
    (DATABASE, ("a:Once the database of the service is settled, I go on; I still wait for your decision.",)),
    (SHIP, ("a:The build is done. Shall I tag it?", "p:Yes")),
    (DATABASE, ("p:> use Postgres",)),
    (DATABASE, ("p:```\nPostgres\n```",)),
    (DATABASE, ('p:The log says "Postgres".',)),
]


@pytest.mark.parametrize(("card", "said"), NOTHING, ids=lambda part: str(part)[:60])
def test_rules_are_silent_about_the_rest(card: Card, said: tuple[str, ...]) -> None:
    assert by_rules(card, rows(*said)) is None


def test_an_option_that_two_open_questions_have_is_not_certain() -> None:
    other = Card(id="q_9", question="Which database for the tests?", labels=("Postgres", "none"))
    found = by_rules(DATABASE, rows("p:Postgres"), (other,))
    assert found is not None and not found.sure


def test_rules_never_close_a_blocking_question() -> None:
    blocking = Card(id="q", question="Pay the bill?", labels=("Pay it", "Wait"), blocking=True)
    found = by_rules(blocking, rows("p:Pay it"))
    assert found == Finding(why="You named “Pay it”.", proof="Pay it", sure=False)


# ---- the model's verdict -----------------------------------------------------------------------------------

ANSWERED = rows("a:The schema is ready.", "p:Postgres is what we know best, so take that.")


def test_a_verdict_with_a_proof_closes() -> None:
    found = weigh(DATABASE, ANSWERED, says("Postgres is what we know best, so take that.", row=2), 0.8)
    assert found == Finding(
        why="So it was said.", proof="Postgres is what we know best, so take that.", sure=True
    )


def test_below_the_confidence_it_only_looks_answered() -> None:
    found = weigh(DATABASE, ANSWERED, says("Postgres is what we know best, so take that.", 0.79), 0.8)
    assert found is not None and not found.sure


def test_a_blocking_question_only_looks_answered() -> None:
    blocking = Card(id="q", question=DATABASE.question, labels=DATABASE.labels, blocking=True)
    found = weigh(blocking, ANSWERED, says("Postgres is what we know best, so take that.", 1.0), 0.8)
    assert found is not None and not found.sure


def test_open_is_open() -> None:
    assert weigh(DATABASE, ANSWERED, says("Postgres is what we know best", verdict="open"), 0.8) is None


def test_a_part_of_a_sentence_proves_with_the_whole_sentence_shown() -> None:
    said = rows("p:I would never go with Postgres for this service.")
    found = weigh(DATABASE, said, says("go with Postgres"), 0.8)
    assert found is not None and found.proof == "I would never go with Postgres for this service."


@pytest.mark.parametrize(
    "proof", ["", "   ", '"', "P", "e", "…", "Use Postgres.", "postgres is what we know best"]
)
def test_what_nobody_said_proves_nothing(proof: str) -> None:
    assert weigh(DATABASE, ANSWERED, says(proof), 0.8) is None


def test_what_was_done_makes_a_question_outdated() -> None:
    said = rows("a:The service is gone. It keeps no data now, so it needs no database at all.")
    proof = "It keeps no data now, so it needs no database at all."
    found = weigh(DATABASE, said, says(proof, verdict="outdated"), 0.8)
    assert found is not None and not found.sure  # one word alone does not name the question
    said = rows("a:The new service was dropped, so it needs no database.")
    found = weigh(DATABASE, said, says("The new service was dropped, so it needs no database."), 0.8)
    assert found is not None and found.sure


def test_a_short_answer_counts_when_it_is_all_that_was_said() -> None:
    card = Card(id="q", question="Shall I go on with the plan?")
    found = weigh(card, rows("p:ok"), says("ok"), 0.8)
    assert found is not None and found.sure


def test_a_short_answer_to_what_the_agent_said_later_only_looks_so() -> None:
    card = Card(id="q", question="Drop the old tables?")
    found = weigh(
        card, rows("a:Here is the report.", "p:sounds right to me"), says("sounds right to me"), 0.8
    )
    assert found is not None and not found.sure


def test_a_long_message_about_something_else_only_looks_so() -> None:
    card = Card(id="q", question="Drop the old tables?")
    text = "By the way, the build machine was slow this morning, somebody should have a look at it soon."
    found = weigh(card, rows(f"p:{text}"), says(text), 0.8)
    assert found is not None and not found.sure


def test_a_yes_to_whatever_came_last_only_looks_so() -> None:
    said = rows("a:Here is the report of today.", "p:Yes, thank you.")
    found = weigh(SHIP, said, says("Yes, thank you.", row=2), 0.8)
    assert found is not None and not found.sure


def test_an_agent_that_still_waits_closes_nothing() -> None:
    said = rows("a:I still wait for your decision on the database of the new service, Postgres or SQLite.")
    found = weigh(DATABASE, said, says(said[0].text), 0.8)
    assert found is not None and not found.sure


# ---- calls that are not worth it ---------------------------------------------------------------------------


def test_replies_about_other_things_cost_no_call() -> None:
    assert worth_asking(DATABASE, rows("a:The tests are green.", "a:I fixed the typo in the README.")) == ()
    assert worth_asking(DATABASE, rows("a:```\nPostgres SQLite service\n```")) == ()


def test_what_the_person_says_is_always_worth_it() -> None:
    said = rows("a:The tests are green.", "p:take the first one")
    assert worth_asking(DATABASE, said) == (said[1],)
