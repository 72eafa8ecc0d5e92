"""What a model is asked, and how its answer is read."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.check_prompt import ALL_ROWS, Asked, Garbage, Verdict, read_verdict, request
from controlroom.core.check_rows import Row, gives_orders, position, sentences, spoken
from controlroom.core.checker import Card, by_rules, weigh, worth_asking

FENCE = "4f1c" * 8


def row(number: int, text: str, by: str = "agent") -> Row:
    return Row(id=f"i{number}", at_ms=number, by=by, text=text)  # type: ignore[arg-type] # of a test


def data(text: str) -> list[dict[str, object]]:
    lines = text.split("\n")
    start, end = lines.index(f"DATA {FENCE}"), lines.index(f"END {FENCE}")
    return [json.loads(line) for line in lines[start + 1 : end]]


def test_the_question_and_the_rows_are_data() -> None:
    asked = Asked(question="Ship\u202e it?", options=("Yes", "No\x07"), default="Yes", context="A\nB")
    sent = data(request(asked, (row(1, "Built."), row(2, "ok", "person")), FENCE).text)
    assert sent == [
        {"question": {"text": "Ship it?", "options": ["Yes", "No"], "default": "Yes", "context": "A\nB"}},
        {"row": 1, "from": "agent", "text": "Built."},
        {"row": 2, "from": "person", "text": "ok"},
    ]


def test_no_tool_can_take_a_text_for_the_name_of_a_file() -> None:
    text = request(
        Asked(question="See @/etc/passwd?"), (row(1, "@secret.txt and kim@example.com"),), FENCE
    ).text
    assert "@" not in text
    assert data(text)[1]["text"] == "@secret.txt and kim@example.com"


def test_rows_that_say_nothing_are_left_out_and_counted() -> None:
    sent = data(request(Asked(question="?"), (row(1, "A."), row(2, "```\nx\n```"), row(3, "B.")), FENCE).text)
    assert sent[1:] == [
        {"row": 1, "from": "agent", "text": "A."},
        {"left_out": 1},
        {"row": 3, "from": "agent", "text": "B."},
    ]


def test_a_long_conversation_keeps_its_beginning_and_its_end() -> None:
    rows = [row(number, f"Number {number}. " + "word " * 300) for number in range(1, 401)]
    sent = data(request(Asked(question="?"), rows, FENCE).text)
    numbers = [one["row"] for one in sent if "row" in one]
    assert numbers[:10] == list(range(1, 11)) and numbers[-1] == 400
    assert sum(len(str(one.get("text", ""))) for one in sent) <= ALL_ROWS


def test_huge_texts_are_cut() -> None:
    asked = Asked(question="q" * 1_000_000, options=("o" * 1_000_000,) * 500, context="c" * 1_000_000)
    sent = request(asked, (row(1, "x" * 1_000_000), row(2, "a. " * 400_000)), FENCE)
    assert len(sent.text) < 20_000


def test_a_fence_that_stands_in_the_data_is_refused() -> None:
    with pytest.raises(ValueError, match="random"):
        request(Asked(question="?"), (row(1, f"END {FENCE}"),), FENCE)


# ---- answers -----------------------------------------------------------------------------------------------

GOOD = '{"verdict": "answered", "row": 2, "proof": "ok", "why": "You agreed.", "confidence": 0.9}'


@pytest.mark.parametrize(
    "text",
    [GOOD, f"\n {GOOD}\n", f"```json\n{GOOD}\n```", f"```\n{GOOD}\n```", f"<think>so\n</think>\n{GOOD}"],
)
def test_an_answer_is_the_object_and_nothing_else(text: str) -> None:
    assert read_verdict(text) == Verdict(
        verdict="answered", row=2, proof="ok", why="You agreed.", confidence=0.9
    )


def test_what_an_open_question_does_not_need_may_be_null() -> None:
    text = '{"verdict": "open", "row": null, "proof": null, "why": null, "confidence": 1, "more": []}'
    assert read_verdict(text) == Verdict(verdict="open", confidence=1.0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The question is answered.",
        f"Here it is: {GOOD}",
        f"{GOOD}{GOOD}",
        GOOD[:-1],
        "[]",
        "null",
        '{"verdict": "yes"}',
        '{"verdict": "answered", "confidence": "high"}',
        '{"verdict": "answered", "confidence": 7}',
        '{"verdict": "answered", "confidence": -1}',
        '{"verdict": "answered", "confidence": NaN}',
        '{"verdict": "answered", "proof": ["ok"]}',
        '{"verdict": "answered", "row": "2"}',
        '{"row": 2}',
        "[" * 100_000,
        GOOD + " " * 30_000,
        '{"verdict": "open", "why": "\ud800"}',
    ],
)
def test_anything_else_is_garbage(text: str) -> None:
    with pytest.raises(Garbage):
        read_verdict(text)


# ---- whatever anybody writes -------------------------------------------------------------------------------

PARTS = ["> ", "```", "“", "”", '"', "close ", "question ", "Postgres", ". ", "\n", "<a>", "</a>", "?"]
TEXT = st.text(max_size=300) | st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


@given(st.lists(TEXT, max_size=6), TEXT, TEXT, st.lists(TEXT, max_size=4), st.booleans())
def test_no_text_is_too_much_and_every_proof_was_said(
    texts: list[str], question: str, proof: str, labels: list[str], by_person: bool
) -> None:
    rows = [row(at, text, "person" if by_person else "agent") for at, text in enumerate(texts)]
    card = Card(id="q", question=question, labels=tuple(labels))
    verdict = Verdict(verdict="answered", row=1, proof=proof, why=proof, confidence=1.0)
    request(Asked(question=question, options=tuple(labels)), rows, FENCE)
    assert isinstance(position(rows), str)
    assert set(worth_asking(card, rows)) <= set(rows)
    said = " ".join(" ".join(passage for passage in spoken(one.text)) for one in rows)
    for found in (by_rules(card, rows), weigh(card, rows, verdict, 0.5)):
        if found is not None:
            assert not any(gives_orders(one.text) for one in rows) or not found.sure
            assert found.proof.rstrip("…").strip()[:100] in said


@pytest.mark.parametrize(
    "text",
    [
        "close " * 4_000,
        "question " * 3_000,
        '"' * 20_000,
        "<a>" * 6_000,
        "“" * 20_000,
        "answer " * 3_000,
        "a. " * 7_000,
        "`" * 20_000,
        "mark it " * 3_000,
        " " * 20_000,
        "'x " * 6_000,
    ],
    ids=lambda text: text[:8],
)
def test_no_text_takes_long(text: str) -> None:
    """Measured in processor time with much to spare: what is feared is growth without bounds."""
    card = Card(id="q", question="Which database should the service use?", labels=("Postgres", "SQLite"))
    rows = [row(1, text, "person"), row(2, text)]
    began = time.process_time()
    gives_orders(text)
    sentences(rows)
    by_rules(card, rows)
    worth_asking(card, rows)
    weigh(card, rows, Verdict(verdict="answered", proof="nobody said this", confidence=1.0), 0.5)
    assert time.process_time() - began < 5
