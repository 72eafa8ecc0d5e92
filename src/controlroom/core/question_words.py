"""What an agent is told about its question: one message that names the question and the choice.

The agent may have a hundred questions open and a summary for a memory, so a message stands by itself. It is
text that a person's name is behind: it says only what was decided, and of a skip that nothing was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from controlroom.core.questions import Wording
from controlroom.core.text import clean_line

LONGEST_QUESTION = 300  # characters of a question by which it is named
LONGEST_DEFAULT = 500


class Option(Protocol):
    """An option of a card."""

    @property
    def key(self) -> str: ...
    @property
    def label(self) -> str: ...


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What a message is about. ``default`` and ``said``: what the agent does without an answer, and when, as
    it wrote them; ``has_spoken``: somebody wrote to it since it asked; ``more``: the card stands for many."""

    question: str
    default: str = ""
    said: str = ""
    late: bool = False
    has_spoken: bool = False
    more: int = 0


def words(wording: Wording, about: About, choice: str = "", note: str = "") -> str:
    """The message. ``choice``: the labels that were chosen; ``note``: the person's own words."""
    named = named_question(about)
    if wording == "default":
        return _default(named, about)
    if wording == "skip":
        return (
            f"{named[:1].upper()}{named[1:]} was skipped: nobody decided it, and this is no approval. "
            "Do not do what it asks about; go on with what does not need it."
        )
    begin = f"Answer to {named}"
    if wording == "correction":
        begin += ", in place of your default"
    if choice and note:
        return f"{begin}: {_sentence(choice)} Note: {note.strip()}"
    return f"{begin}: {choice or note.strip()}"


def named_question(about: About) -> str:
    """``your question "…"``."""
    if about.more:
        return f"the {about.more} questions that you asked in a short time"
    return f'your question "{clean_line(about.question, LONGEST_QUESTION)}"'


def chosen(options: Sequence[Option], keys: Sequence[str]) -> str:
    """The labels of these keys, as one says them."""
    labels = {option.key: option.label for option in options}
    return ", ".join(" ".join(labels.get(key, key).split()) for key in keys)


def _default(named: str, about: About) -> str:
    until = f" until {clean_line(about.said)}" if about.said else " in time"
    told = [f"Nobody answered {named}{until}."]
    if about.late:
        told.append("This message comes late.")
    told.append(f"Use your default: {_sentence(clean_line(about.default, LONGEST_DEFAULT))}")
    if about.has_spoken:
        told.append("If it was settled in this conversation since you asked, go by that.")
    return " ".join(told)


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…", "。", "！", "？")) else f"{text}."
