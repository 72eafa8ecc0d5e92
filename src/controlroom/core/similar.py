"""Whether two questions are about the same thing: for repeats that replace the older card, and for
``Resolved for Founder: …`` lines that name a question in words.

Careful on purpose: a card that stays a while too long is a nuisance, a real question that vanishes because
another one looks like it is a lost decision. So two texts are the same only if they read the same once marks
and case are gone, or if one of them merely says more, or if they offer the same choice. Where each has a
content word that the other has not ("deploy to staging", "deploy to production") they are two.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

LONGEST = 2000  # characters of a text that are looked at
ENOUGH = 0.5  # share of the longer text's content words that the shorter one must have
_STEM = 4  # letters that all forms of a word have
SAME_CHOICE = 0.3  # the same of two questions that offer the same options

_MARKS = re.compile(r"[*_`~#>\[\](){}\"'“”‘’«»„]")
_GAPS = re.compile(r"[^\w%€$£+.#/-]+")
_EDGES = re.compile(r"^[.#/+-]+|[./+-]+$")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_YES_NO = frozenset(
    {"yes", "no", "ok", "later", "ja", "nein", "oui", "non", "si", "sí", "はい", "いいえ", "是", "否"}
)
_CHOICE_WORDS = (
    "okay sure now today tomorrow never none neither both all any every each one other go ahead proceed "
    "continue start begin do don't done stop wait hold pause leave keep skip ignore cancel abort drop delete "
    "remove ship publish deploy merge push send run try again retry approve accept confirm reject decline "
    "deny refuse agree undo change nothing everything something else first last next only später jetzt "
    "weiter warten abbrechen alle keine lassen plus tard maintenant tous aucun attendre continuer luego "
    "ahora todos ninguno esperar"
)
_ANY_CHOICE = _YES_NO | frozenset(_CHOICE_WORDS.split())
"""Words of options that go with any question: the same answers to "staging?" and "production?"."""
_SMALL_WORDS = (
    "a an and are as at be been but by can could did do does for from had has have how i if in into "
    "is it its just me my now of on or our please shall should so still than that the their them "
    "then there these they this those to too up us was we were what when where which who will with "
    "would you your der die das den dem des ein eine einen einer und oder ich wir soll sollen ist "
    "sind mit auf für im in zu zum zur von bei jetzt noch auch welche welcher welches le la les un "
    "une des et ou je nous dois est sont avec pour dans de du en sur quel quelle el los las una y o "
    "debo es son con para por del que cuál "
)
_SMALL = frozenset(_SMALL_WORDS.split())


class Ask(NamedTuple):
    """What is compared of a question: its words, and the labels of its options."""

    text: str
    labels: tuple[str, ...] = ()


def normalised(text: str) -> str:
    """The words alone: no marks, no case, one form of each character."""
    return _normalised(text[:LONGEST])


@lru_cache(maxsize=1024)  # the same questions and options are held against many sentences
def _normalised(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = (_EDGES.sub("", word) for word in _GAPS.split(_MARKS.sub("", plain)))
    return " ".join(word for word in words if word)


def is_same(old: Ask, new: Ask) -> str | None:
    """Why the two are one question, for the card; None when they are two."""
    old_text, new_text = normalised(old.text), normalised(new.text)
    if not old_text or not new_text:
        return None
    old_labels, new_labels = _labels(old), _labels(new)
    if old_labels and new_labels and not old_labels & new_labels:
        return None
    if old_text == new_text:
        return "It was asked again."
    shared, only_old, only_new = _compare(old_text, new_text)
    if shared == 0:
        return None
    share = shared / (shared + max(len(only_old), len(only_new)))
    if (
        old_labels == new_labels
        and sum(not _is_any_choice(label) for label in old_labels) > 1
        and share >= SAME_CHOICE
    ):
        return "It was asked in other words, with the same options."
    if only_old and only_new:
        return None
    return "It was asked in other words." if shared >= 2 and share >= ENOUGH else None


def find(said: str, asks: Sequence[Ask]) -> int | None:
    """Which of the questions a text names: the one that is the same, or the only one that it is part of.

    None when it names none, or more than one.
    """
    text = normalised(said)
    if not text:
        return None
    same = [at for at, one in enumerate(asks) if normalised(one.text) == text]
    if not same:
        same = [at for at, one in enumerate(asks) if _is_part(text, normalised(one.text))]
    if not same:
        same = [at for at, one in enumerate(asks) if is_same(Ask(one.text), Ask(said)) is not None]
    return same[0] if len(same) == 1 else None


def shares(text: str, other: str) -> int:
    """How many words that carry meaning both texts have, in whatever form."""
    return _compare(normalised(text), normalised(other))[0]


def says(text: str, phrase: str) -> bool:
    """Whether a text holds this phrase as whole words, marks and case aside."""
    wanted = normalised(phrase)
    if _WIDE.search(wanted):
        return wanted in normalised(text)
    return bool(wanted) and f" {wanted} " in f" {normalised(text)} "


def is_bare(label: str) -> bool:
    """Whether it answers any question (yes, no, later), so that it names none."""
    return all(word in _YES_NO or word in _SMALL for word in normalised(label).split())


def _is_part(text: str, whole: str) -> bool:
    """Whether a few whole words of one are the other: one word names too much."""
    short, long = sorted((text, whole), key=len)
    return len(_content(short)) >= 2 and f" {short} " in f" {long} "


def _labels(one: Ask) -> frozenset[str]:
    return frozenset(label for label in map(normalised, one.labels) if label)


def _is_any_choice(label: str) -> bool:
    """Whether an option says nothing of what is asked: "Yes, all of them", "Go ahead"."""
    return all(word in _ANY_CHOICE or word in _SMALL for word in label.split())


def _compare(old: str, new: str) -> tuple[int, set[str], set[str]]:
    """How many content words both have, in whatever form, and what only one has."""
    left, right = _content(old), _content(new)
    both = {word for word, has in zip(left, _have(left, right), strict=True) if has}
    only_new = {word for word, has in zip(right, _have(right, left), strict=True) if not has}
    return len(both), left - both, only_new


def _content(text: str) -> set[str]:
    """The words that carry meaning; scripts without blanks are taken by pairs of characters."""
    found: set[str] = set()
    for word in text.split():
        if _WIDE.search(word) and len(word) > 2:
            found |= {word[at : at + 2] for at in range(len(word) - 1)}
        elif word not in _SMALL:
            found.add(word)
    return found


def _have(words: Collection[str], others: set[str]) -> list[bool]:
    """Which of these words are among the others, in whatever form. Forms begin alike, so few are compared."""
    alike: dict[str, list[str]] = {}
    for other in others:
        alike.setdefault(other[:_STEM], []).append(other)
    return [
        word in others or any(_is_form(word, other) for other in alike.get(word[:_STEM], ()))
        for word in words
    ]


def _is_form(one: str, other: str) -> bool:
    """Two forms of one word: the same beginning, and short endings ("migrate", "migrating")."""
    if not (one.isalpha() and other.isalpha()) or min(len(one), len(other)) < _STEM or _WIDE.search(one):
        return False
    same = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return same >= _STEM and max(len(one), len(other)) - same <= 3
