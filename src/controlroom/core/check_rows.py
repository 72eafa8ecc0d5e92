"""What was said since a question was asked, and which of it can prove something.

A row is something that the person typed or that the agent itself replied; tool results, thoughts, helpers,
notices and what we typed are no rows. Even of a row only the *spoken* sentences count: fenced code, lines
with ``>``, question blocks and the inside of quotation marks are somebody else's words. Two kinds of
sentences prove nothing, whoever says them: questions, and orders about questions ("close this question"),
which is what a text that wants to close a card by itself looks like.

Source: spec 002 section 11 "Outside text is data", field lesson 51.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from controlroom.core import similar
from controlroom.core.blocks import parse_reply
from controlroom.core.check_words import ORDERS
from controlroom.core.markup import list_item, split_lines
from controlroom.core.text import clean_block

Speaker = Literal["person", "agent"]

LONGEST_ROW = 20_000  # characters that are looked at
ENOUGH = 4  # words of a question that name it, however long it is
BRIEF = 80  # characters of an answer that names nothing: "go ahead", "the first one"
PASTED = 1_500  # characters of a person's message above which most of it is not typed by hand
LONGEST_PROOF = 500

_SENTENCE = re.compile(r"(?<=[.!?…])[\"”»)*_]*\s+|(?<=[。！？])")
_ASKS = re.compile('[?？؟\u037e]["”»)*_\\s]*$')
_QUOTED = re.compile(
    r"`[^`]+`|\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|‹[^‹›]*›|「[^「」]*」|『[^『』]*』"
    r"|(?<!\w)'[^']*'(?!\w)|(?<!\w)‘[^‘’]*’(?!\w)"
)
_UNSEEN = re.compile("[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff\U000e0000-\U000e007f]")
_TAG = re.compile(r"<(?P<name>[A-Za-z][\w:-]{0,60})(?:\s[^<>]{0,200})?>")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was said. ``text`` is outside text, whoever typed it."""

    id: str
    at_ms: int
    by: Speaker
    text: str


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """One spoken sentence of a row. ``after_reply``: the agent had said something else since the question."""

    row: Row
    text: str
    number: int  # of its row, from 1
    after_reply: bool = False


def spoken(text: str) -> tuple[str, ...]:
    """The passages of a text that its speaker says in their own words, each on one line."""
    return _spoken(text[:LONGEST_ROW])


@lru_cache(maxsize=512)
def _spoken(text: str) -> tuple[str, ...]:
    text = clean_block(text, LONGEST_ROW)
    for question in parse_reply(text).questions:
        text = text.replace(question.raw, "\n\n")
    text = _without_elements(text)
    passages: list[list[str]] = [[]]
    for line in split_lines(text):
        if line.code or line.blank or line.indent >= 4:
            passages.append([])
        elif list_item(line) is not None or line.text.lstrip().startswith(("#", "|")):
            passages.append([line.text.strip()])
        else:
            passages[-1].append(line.text.strip())
    return tuple(" ".join(" ".join(lines).split()) for lines in passages if lines)


def _without_elements(text: str) -> str:
    """Without ``<tag>…</tag>``: what stands in tags was put there by a program."""
    kept: list[str] = []
    at, unclosed = 0, set[str]()
    for tag in _TAG.finditer(text):
        name = tag["name"]
        if tag.start() < at or name in unclosed:
            continue
        closing = text.find(f"</{name}", tag.end())
        end = -1 if closing < 0 else text.find(">", closing)
        if end < 0:
            unclosed.add(name)
            continue
        kept.append(text[at : tag.start()])
        at = end + 1
    return "\n\n".join([*kept, text[at:]])


def sentences(rows: Sequence[Row]) -> list[Sentence]:
    """All spoken sentences, in their order."""
    found: list[Sentence] = []
    replied = False
    for number, row in enumerate(rows, start=1):
        said = [part for passage in spoken(row.text) for part in _split(passage)]
        found += [Sentence(row=row, text=text, number=number, after_reply=replied) for text in said if text]
        replied = replied or (row.by == "agent" and bool(said))
    return found


def _split(passage: str) -> list[str]:
    """The sentences of one line; what stands in quotation marks ends none."""
    masked = _QUOTED.sub(lambda span: "x" * len(span[0]), passage)
    ends = [found.end() for found in _SENTENCE.finditer(masked)]
    return [passage[start:end].strip() for start, end in zip([0, *ends], [*ends, len(passage)], strict=True)]


def is_question(sentence: str) -> bool:
    return _ASKS.search(sentence) is not None


def gives_orders(text: str) -> bool:
    """Whether a text tells a reader how to judge questions, or plays another part of the conversation."""
    plain = unicodedata.normalize("NFKC", clean_block(text, LONGEST_ROW))
    return ORDERS.search(_UNSEEN.sub("", plain)) is not None


def is_pasted(row: Row) -> bool:
    """Whether most of it was hardly typed by the person."""
    return row.by == "person" and (len(row.text) > PASTED or "<pasted_content" in row.text)


def quoting(passage: str, proof: str) -> bool:
    """Whether a proof stands wholly inside quotation marks of the passage that holds it."""
    spans = [found.span() for found in _QUOTED.finditer(passage)]
    at = passage.find(proof)
    while at >= 0:
        if not any(start <= at and at + len(proof) <= end for start, end in spans):
            return False
        at = passage.find(proof, at + 1)
    return True


def without_quotes(sentence: str) -> str:
    """The sentence without what stands in quotation marks."""
    return _QUOTED.sub(" ", sentence)


def concerns(sentence: Sentence, question: str, labels: Iterable[str]) -> bool:
    """Whether a sentence can be about the answer at all: what names an option, what shares words with the
    question, or a brief word of the person right behind it."""
    return _is_about(sentence, question, labels, 2)


def settles(sentence: Sentence, question: str, labels: Iterable[str]) -> bool:
    """Whether it names the question well enough to close it. The agent talks about its work all day: of its
    words more than half of the question's must be in one sentence."""
    words = similar.shares(question, question)
    return _is_about(sentence, question, labels, min(ENOUGH, words // 2 + 1))


def _is_about(sentence: Sentence, question: str, labels: Iterable[str], least: int) -> bool:
    if is_question(sentence.text):
        return False
    own = without_quotes(sentence.text)
    is_next = sentence.row.by == "person" and not sentence.after_reply  # nothing else was spoken of meanwhile
    if any(similar.says(own, label) for label in labels if is_next or not similar.is_bare(label)):
        return True
    shared = similar.shares(own, question)
    if sentence.row.by == "person":
        return shared > 0 or (is_next and len(sentence.row.text) <= BRIEF)
    return shared >= max(1, min(least, similar.shares(question, question)))


def position(rows: Iterable[Row]) -> str:
    """Names exactly this state of a conversation: the same rows with the same texts."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{len(row.id)}:{row.id}{row.by}{len(row.text)}:".encode())
        digest.update(row.text.encode(errors="surrogatepass"))
    return digest.hexdigest()[:32]
