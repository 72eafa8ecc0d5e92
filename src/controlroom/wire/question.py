"""Questions for the person: cards of the Inbox, and what can be done with them (docs/reference/api.md).

A question has one id for its life, however often it is closed and reopened. Times are Unix milliseconds.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from controlroom.wire.model import Delivery, Struct

QuestionState = Literal[
    "open", "answered", "resolved", "superseded", "default", "skipped", "dismissed", "expired"
]
QuestionSource = Literal["block", "picker", "command", "policy"]
"""``policy``: the Control Room itself asks, and the answer is typed to nobody."""


class QuestionOption(Struct, frozen=True, kw_only=True):
    """``what`` happens when it is chosen, in the agent's words."""

    key: str
    label: str
    what: str | None = None
    recommended: bool = False


class QuestionDefault(Struct, frozen=True, kw_only=True):
    """What the agent does without an answer. ``due_at_ms`` None: no time was given, or it is not clear;
    ``said`` is the time as it was written, ``problem`` what is wrong with it."""

    text: str
    due_at_ms: int | None = None
    said: str | None = None
    problem: str | None = None


class QuestionAnswer(Struct, frozen=True, kw_only=True):
    """The answer that won. ``option`` is a key (keys, joined by ", ", where several were chosen).

    ``delivery``: of the message that types it; None when nothing has to be typed (given in the terminal).
    """

    by: str
    at_ms: int
    option: str | None = None
    text: str | None = None
    delivery: Delivery | None = None


class QuestionStep(Struct, frozen=True, kw_only=True):
    """One step of a question's history. ``proof``: the sentence of the chat that closed it (outside text)."""

    state: QuestionState
    at_ms: int
    by: str
    why: str
    proof: str | None = None
    late: bool = False  # due while nobody could act


class LooksAnswered(Struct, frozen=True, kw_only=True):
    """The checker is not sure enough to close it."""

    at_ms: int
    why: str
    proof: str | None = None


class Question(Struct, frozen=True, kw_only=True):
    """One card. ``problem``: how the block departs from its form, ``raw`` is the block then."""

    id: str
    agent_id: str
    chat_id: str
    state: QuestionState
    source: QuestionSource
    question: str
    options: tuple[QuestionOption, ...]
    multi: bool
    blocking: bool
    asked_at_ms: int
    history: tuple[QuestionStep, ...]
    free_text: bool = True
    default: QuestionDefault | None = None
    blocking_why: str | None = None  # said by the agent, or recognised: in what
    context: str | None = None
    doc: str | None = None
    problem: str | None = None
    raw: str | None = None
    item_id: str | None = None  # the reply that asked
    waiting_id: str | None = None  # of a picker: the dialog that stands
    answer: QuestionAnswer | None = None
    superseded_by: str | None = None
    replaces: str | None = None  # the older card that this one replaced
    looks_answered: LooksAnswered | None = None
    more: int = 0  # of a card that stands for many: how many questions it holds
    clipped: bool = False  # texts were cut, in events: GET has all of them
    undo_until_ms: int | None = None  # skip, dismiss, an answer that is not typed yet; 0 = while it is so
    reopenable: bool = False


class Questions(Struct, frozen=True, kw_only=True):
    """Open ones: blocking, then the soonest default, then the oldest. Others: the newest first."""

    questions: tuple[Question, ...]
    before: str | None = None  # cursor of an older page


class AnswerQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """``option`` is a key or a label (a list for ``multi``); option and text may come together."""

    request_id: str
    option: str | tuple[str, ...] | None = None
    text: str | None = None


class CloseQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Skip, dismiss, undo or reopen."""

    request_id: str
    why: str | None = None


class AskQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question by command: of the agent whose pane it comes from, or for one that is named."""

    id: str  # "q_…", made by the client
    question: str
    agent_id: str | None = None
    options: tuple[QuestionOption, ...] = ()
    multi: bool = False
    default: str | None = None
    by: str | None = None  # when the default is used, as in a block
    blocking: bool = False
    context: str | None = None
    doc: str | None = None


class Paused(Struct, frozen=True, kw_only=True):
    """Since when nothing is done by itself: no default is used, no model is called."""

    since_ms: int
    by: str
    why: str | None = None


class PauseState(Struct, frozen=True, kw_only=True):
    """``paused`` None: the Control Room runs."""

    paused: Paused | None


class SetPause(msgspec.Struct, frozen=True, kw_only=True):
    """Pause, or go on."""

    request_id: str
    paused: bool
    why: str | None = None
