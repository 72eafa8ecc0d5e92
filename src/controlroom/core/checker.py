"""Whether an open question is answered or outdated, judged from what was said since it was asked.

Theory. There are three steps, and each can only make a judgement weaker than it asks for:

1. *Rules* read the rows. They close only what is certain: the person named one option and said nothing else,
   or the agent says of the very question that it is settled. What merely looks so stays a hint.
2. What is left goes to a model, once for each state of the conversation, and only if some sentence could
   prove anything at all.
3. The model's verdict is *weighed*. It closes a question only with a proof that we find again: a sentence of
   the person, or of the agent's own reply, in their own words, that has to do with the question. A proof that
   nobody said is worth nothing; one that somebody quoted, asked or ordered, one below the confidence, and any
   proof while the conversation holds orders to the checker, only makes the card say "looks answered".

So a text in the conversation can at most make the model wrong, and a wrong model can at most close a
question that the person or the agent has spoken about in words that look like an answer, with these words on
the card and a way back. A blocking question is never closed here. Nothing that was said before a question
was asked, or before the person reopened it, counts.

Source: spec 002 sections 5 and 11, field lessons 25 and 51.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from controlroom.core import similar
from controlroom.core.check_prompt import Verdict
from controlroom.core.check_rows import (
    LONGEST_PROOF,
    Row,
    Sentence,
    concerns,
    gives_orders,
    is_pasted,
    is_question,
    quoting,
    sentences,
    settles,
    spoken,
    without_quotes,
)
from controlroom.core.check_words import AROUND, DONE, NOT, NOT_YET, SETTLED, STILL_OPEN
from controlroom.core.text import clean_line, limited

SHORT = 200  # characters of a message that may be nothing but the name of an option
LONGEST_WHY = 300
PARTS = 4  # sentences that a proof may go over
LEAST_PROOF = 8  # characters of a proof that is only a part of what was said


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """An open question, as far as it is judged."""

    id: str
    question: str
    labels: tuple[str, ...] = ()
    blocking: bool = False
    default: str | None = None
    context: str | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """``sure``: certain enough to close it. ``proof`` is a whole sentence that was said (outside text)."""

    why: str
    proof: str
    sure: bool


# ---- rules -----------------------------------------------------------------------------------------------


def by_rules(card: Card, rows: Sequence[Row], others: Sequence[Card] = ()) -> Finding | None:
    """What needs no model. ``others``: the questions that are open in the same chat besides this one."""
    said = sentences(rows)
    found = _named(card, rows, said, others) or _said_settled(card, said) or _said_done(card, said)
    if found is None or not found.sure:
        return found
    if card.blocking or any(gives_orders(row.text) for row in rows):
        return msgspec.structs.replace(found, sure=False)
    return found


def _named(
    card: Card, rows: Sequence[Row], said: Sequence[Sentence], others: Sequence[Card]
) -> Finding | None:
    """The person named an option. Certain when only one was ever named, in a message that says nothing else,
    before the agent asked for anything else."""
    named: dict[str, Sentence] = {}
    for sentence in said:
        if sentence.row.by == "person" and not is_question(sentence.text):
            own = without_quotes(sentence.text)
            for label in _named_in(own, card.labels):
                named.setdefault(label, sentence)
    if len(named) != 1:
        return None
    label, sentence = next(iter(named.items()))
    if sentence.after_reply and similar.is_bare(label):  # a "yes" to whatever the agent said last
        return None
    if NOT.search(_without(label, sentence.text)):
        return None
    elsewhere = any(similar.says(sentence.text, theirs) for other in others for theirs in other.labels)
    asked = any(is_question(earlier.text) for earlier in said if _is_between(earlier, sentence))
    sure = not elsewhere and not asked and _is_only(label, sentence.row)
    return Finding(why=f"You named “{clean_line(label, 80)}”.", proof=_proof(sentence.text), sure=sure)


def _named_in(text: str, labels: Sequence[str]) -> list[str]:
    """The options that a text names; of "Yes" and "Yes, all of them" only the longer one."""
    found = [label for label in labels if similar.says(text, label)]
    return [
        label for label in found if not any(other != label and similar.says(other, label) for other in found)
    ]


def _is_between(earlier: Sentence, sentence: Sentence) -> bool:
    return earlier.row.by == "agent" and earlier.number < sentence.number


def _is_only(label: str, row: Row) -> bool:
    """Whether a message says this option and nothing else."""
    if len(row.text) > SHORT or len(spoken(row.text)) != 1 or is_question(row.text.strip()):
        return False
    rest = _without(label, row.text)
    words = " ".join(word for word in rest.split() if word not in AROUND)
    return not NOT.search(rest) and not similar.shares(words, words)


def _without(label: str, text: str) -> str:
    """What a text says besides this option, normalised."""
    return f" {similar.normalised(text)} ".replace(f" {similar.normalised(label)} ", " ", 1)


def _said_settled(card: Card, said: Sequence[Sentence]) -> Finding | None:
    """The agent says that it is settled: certain when it names the whole question."""
    for sentence in reversed(said):
        if sentence.row.by != "agent" or is_question(sentence.text):
            continue
        text = sentence.text
        names = similar.says(text, card.question) and len(similar.normalised(card.question).split()) >= 3
        if not names and similar.shares(without_quotes(text), card.question) < 2:
            continue
        rest = without_quotes(text.replace(card.question, " "))
        if SETTLED.search(rest) and not STILL_OPEN.search(rest):
            sure = names and not NOT_YET.search(rest)
            return Finding(why="The agent says that it is settled.", proof=_proof(text), sure=sure)
    return None


def _said_done(card: Card, said: Sequence[Sentence]) -> Finding | None:
    """The agent says that it did what was asked about. Never certain: it may be a part, or another thing."""
    for sentence in reversed(said):
        if sentence.row.by != "agent" or is_question(sentence.text) or STILL_OPEN.search(sentence.text):
            continue
        own = without_quotes(sentence.text)
        if DONE.search(own) and concerns(sentence, card.question, card.labels):
            return Finding(why="The agent says that it did so.", proof=_proof(sentence.text), sure=False)
    return None


# ---- the model's verdict ---------------------------------------------------------------------------------


def worth_asking(card: Card, rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows in which something could be a proof; none: a model could find nothing that counts."""
    found: dict[int, Row] = {}
    for sentence in sentences(rows):
        if sentence.row.by == "person" or concerns(sentence, card.question, card.labels):
            found.setdefault(sentence.number, sentence.row)
    return tuple(found.values())


def weigh(card: Card, rows: Sequence[Row], verdict: Verdict, confidence: float) -> Finding | None:
    """What a verdict is worth. ``confidence``: below it nothing is closed. None: nothing."""
    if verdict.verdict == "open":
        return None
    found = _find(rows, verdict)
    if found is None:
        return None
    sentence, is_quoted = found
    doubt = _doubt(card, rows, sentence, is_quoted=is_quoted)
    why = clean_line(verdict.why or "", LONGEST_WHY) or "The conversation says so."
    if doubt is not None:
        why = limited(f"{why} {doubt}", LONGEST_WHY + 100)
    sure = doubt is None and verdict.confidence >= confidence and not card.blocking
    return Finding(why=why, proof=_proof(sentence.text), sure=sure)


def _doubt(card: Card, rows: Sequence[Row], sentence: Sentence, *, is_quoted: bool) -> str | None:
    """Why a proof closes nothing, for the card."""
    if any(gives_orders(row.text) for row in rows):
        return "The conversation holds text that gives orders about questions."
    if is_quoted:
        return "That is quoted text."
    if is_question(sentence.text):
        return "That is a question itself."
    if is_pasted(sentence.row):
        return "It stands in a long pasted text."
    if sentence.row.by == "agent" and STILL_OPEN.search(without_quotes(sentence.text)):
        return "The agent seems to wait for you."
    if not settles(sentence, card.question, card.labels):
        return "It does not name the question."
    return None


def _find(rows: Sequence[Row], verdict: Verdict) -> tuple[Sentence, bool] | None:
    """The sentence that holds the proof, word for word, and whether it is only quoted there. The row that
    the verdict names comes first. None: nobody said that."""
    proof = " ".join((verdict.proof or "").split()).strip('"“”„«»')
    if not proof:
        return None
    said = sentences(rows)
    quoted: tuple[Sentence, bool] | None = None
    for at in sorted(range(len(said)), key=lambda at: said[at].number != verdict.row):
        held = _held(said[at : at + PARTS], proof)
        if held is None:
            continue
        if not quoting(held.text, proof):
            return held, False
        quoted = quoted or (held, True)
    return quoted


def _held(said: Sequence[Sentence], proof: str) -> Sentence | None:
    """The first of these sentences, with those that follow it in its row as far as the proof goes on."""
    first = said[0]
    whole = first.text
    if proof not in whole:
        whole = " ".join(one.text for one in said if one.number == first.number)
        if not 0 <= whole.find(proof) < len(first.text):
            return None
    if len(proof) < LEAST_PROOF and similar.normalised(proof) != similar.normalised(whole):
        return None
    return msgspec.structs.replace(first, text=whole)


def _proof(sentence: str) -> str:
    return clean_line(sentence, LONGEST_PROOF)
