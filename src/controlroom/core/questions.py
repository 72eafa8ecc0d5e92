"""The life of one question to the person: who may close it, who won, what is typed because of it.

Theory. A question is a log of steps; its state is that of the last step, and no step is ever taken away.
While it is *open* any number of closers may race (phone, PC, the terminal, the agent, a newer question, the
checker, the clock): the first to be written wins, every later one is refused and told who won. A closed
question comes back to *open* in two ways only: ``Undo`` takes back what was done by hand (a skip, a
dismissal, an answer that is not typed yet), ``Reopen`` what was done without a person, has expired, or was
answered by a message of which nobody can say that it arrived.

What has to be typed is an effect with the number of the step that wants it. A message's id is made from the
question's id and that number, so a crash between step and typing repeats the message and never doubles it:

========== ================================================================
answered   the choice and the note, in one message; nothing if it was given in the terminal itself
default    "use your default"; an answer after that is typed as a correction
skipped    "nobody decided, this is no approval"
others     nothing
========== ================================================================

Two rules stand above all events. A *blocking* question is closed by a person or by the agent that asked,
never by the checker, the chief or the clock. And a default is used at most once, whatever is undone.

An *own* question is asked by the Control Room itself and not by an agent: nothing is typed, whatever becomes
of it, no agent, checker or newer question closes it, and its answer can be taken back as long as it stands.

Source: spec 002 section 5 and its lessons on stale questions, field lessons 25, 26, 28-32.
"""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["open", "answered", "resolved", "superseded", "default", "skipped", "dismissed", "expired"]
Fate = Literal["waiting", "delivered", "unconfirmed", "failed", "withdrawn"]
Wording = Literal["answer", "correction", "default", "skip"]

STATES: tuple[State, ...] = (
    *("open", "answered", "resolved", "superseded", "default", "skipped", "dismissed", "expired"),
)


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """``by`` is as in receipts: ``host``, ``device:ID``, ``agent:ID``, ``chief``, ``checker``, ``timer``.
    ``proof``: the sentence that shows it; outside text."""

    state: State
    at_ms: int
    by: str
    why: str
    proof: str | None = None
    late: bool = False


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """The answer that stands."""

    by: str
    at_ms: int
    option: str | None = None
    text: str | None = None
    in_terminal: bool = False


class Typed(msgspec.Struct, frozen=True, kw_only=True):
    """The newest message of this question, by the number of the step that wanted it."""

    number: int
    wording: Wording
    fate: Fate = "waiting"


class Looks(msgspec.Struct, frozen=True, kw_only=True):
    """It looks answered, to somebody who may not or does not dare close it."""

    at_ms: int
    why: str
    proof: str | None = None


class Log(msgspec.Struct, frozen=True, kw_only=True):
    """One question's life so far. ``steps`` begins with the asking. ``own``: the Control Room asks."""

    blocking: bool
    has_default: bool
    steps: tuple[Step, ...]
    own: bool = False
    given: Given | None = None
    typed: Typed | None = None
    looks: Looks | None = None
    superseded_by: str | None = None
    default_used: bool = False

    @property
    def state(self) -> State:
        return self.steps[-1].state


# ---- events ------------------------------------------------------------------------------------------------


class Event(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    at_ms: int


class Answer(Event, frozen=True, kw_only=True):
    """``in_terminal``: the person typed it into the agent's pane, so nothing has to be typed."""

    by: str
    option: str | None = None
    text: str | None = None
    in_terminal: bool = False


class Resolve(Event, frozen=True, kw_only=True):
    """The agent says that its question is settled."""

    by: str
    why: str
    proof: str | None = None


class Supersede(Event, frozen=True, kw_only=True):
    """The same agent asked the same thing again, better or anew."""

    question_id: str
    why: str
    proof: str | None = None
    by: str = "agent"


class Judge(Event, frozen=True, kw_only=True):
    """The checker's verdict. ``sure``: above the confidence at which it may close."""

    why: str
    sure: bool
    proof: str | None = None


class Deadline(Event, frozen=True, kw_only=True):
    """The time of the default has come. ``late``: nobody could act when it came."""

    late: bool = False


class Skip(Event, frozen=True, kw_only=True):
    by: str
    why: str = "Skipped: nobody decided, and this is no approval."


class Dismiss(Event, frozen=True, kw_only=True):
    by: str
    why: str = "Dismissed."


class Expire(Event, frozen=True, kw_only=True):
    """Nobody can answer it any more: its dialog is gone, or its agent."""

    why: str


class Undo(Event, frozen=True, kw_only=True):
    by: str


class Reopen(Event, frozen=True, kw_only=True):
    by: str
    why: str = "Reopened."


class Fated(Event, frozen=True, kw_only=True):
    """What became of the message of step ``number``. ``by``: who took it back."""

    number: int
    fate: Fate
    by: str | None = None


AnyEvent = Answer | Resolve | Supersede | Judge | Deadline | Skip | Dismiss | Expire | Undo | Reopen | Fated


# ---- effects -----------------------------------------------------------------------------------------------


class Type(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Send the agent a message, once for this number."""

    number: int
    wording: Wording


class Withdraw(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Take the message of this number back, if it is not typed yet; its fate tells."""

    number: int


Effect = Type | Withdraw


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """``refusal``: why nothing was done, a sentence for people that names the winner; None = it was done."""

    log: Log
    effects: tuple[Effect, ...] = ()
    refusal: str | None = None


# ---- the machine -------------------------------------------------------------------------------------------


def ask(
    *, at_ms: int, by: str, blocking: bool, has_default: bool, why: str = "Asked.", own: bool = False
) -> Log:
    """A new question."""
    first = Step(state="open", at_ms=at_ms, by=by, why=why)
    return Log(blocking=blocking, has_default=has_default, steps=(first,), own=own)


def step(log: Log, event: AnyEvent) -> Outcome:
    """What an event does to a question. Never raises; the log given is not changed."""
    match event:
        case Fated():
            return _fated(log, event)
        case Undo():
            return _undo(log, event)
        case Reopen():
            return _reopen(log, event)
        case Answer():
            return _answer(log, event)
    if log.state != "open":
        return _refused(log, closed_text(log))
    if log.own and isinstance(event, Resolve | Supersede | Judge):
        return _refused(log, "The Control Room asks this itself: only the person closes it.")
    match event:
        case Resolve():
            return _closed(log, "resolved", event.at_ms, event.by, event.why, proof=event.proof)
        case Supersede():
            closed = _closed(log, "superseded", event.at_ms, event.by, event.why, proof=event.proof)
            return msgspec.structs.replace(
                closed, log=msgspec.structs.replace(closed.log, superseded_by=event.question_id)
            )
        case Judge():
            return _judged(log, event)
        case Deadline():
            return _deadline(log, event)
        case Skip():
            if not is_person(event.by):
                return _refused(log, "Only a person skips a question.")
            return _closed(log, "skipped", event.at_ms, event.by, event.why, wording="skip")
        case Dismiss():
            if not is_person(event.by):
                return _refused(log, "Only a person dismisses a question.")
            return _closed(log, "dismissed", event.at_ms, event.by, event.why)
        case Expire():
            return _closed(log, "expired", event.at_ms, "timer", event.why)


def is_person(by: str) -> bool:
    """Whether that is the person: at the machine, or with a paired device."""
    return by == "host" or by.startswith("device:")


def closed_text(log: Log, *, device: str | None = None, said: str = "") -> str:
    """How a question ended, in a sentence. ``device``: the name of that which did it; ``said``: the answer in
    words."""
    last = log.steps[-1]
    who = _who(last.by, device)
    if log.given is not None and log.given.in_terminal:
        who = "you in the terminal"
    said = f": {said.rstrip('.')}" if said else ""
    why = f"{last.why.rstrip('.')}."
    return {
        "open": "It is open.",
        "answered": f"It was answered by {who} already{said}.",
        "resolved": f"It was closed by {who} already: {why}",
        "superseded": "A newer question replaced it.",
        "default": "Its time was over: the agent was told to use its default.",
        "skipped": f"It was skipped by {who} already.",
        "dismissed": f"It was dismissed by {who} already.",
        "expired": f"It can not be answered any more: {why}",
    }[last.state]


def _who(by: str, device: str | None) -> str:
    if by.startswith("device:"):
        return f"you with {device}" if device else "you"
    if by == "host":
        return "you at the computer"
    return "the agent" if by.startswith("agent") else f"the {by}"


def can_undo(log: Log) -> bool:
    """Whether ``Undo`` does something now."""
    if log.state in ("skipped", "dismissed") or (log.own and log.state == "answered"):
        return True
    return _is_waiting_answer(log)


def can_reopen(log: Log) -> bool:
    """Whether ``Reopen`` does something now."""
    if log.state == "answered":
        is_ours = log.given is not None and not log.given.in_terminal
        return is_ours and log.typed is not None and log.typed.fate in ("unconfirmed", "failed")
    return not log.own and log.state in ("resolved", "superseded", "default", "expired")


def _answer(log: Log, event: Answer) -> Outcome:
    given = Given(
        by=event.by,
        at_ms=event.at_ms,
        option=event.option,
        text=event.text,
        in_terminal=event.in_terminal,
    )
    if event.by.startswith("agent"):
        return _refused(log, "An agent does not answer questions to the person.")
    if log.blocking and not is_person(event.by):
        return _refused(log, "This question waits for the person: nobody else may answer it.")
    if log.state not in ("open", "default") and not (event.in_terminal and _is_waiting_answer(log)):
        return _refused(log, closed_text(log))
    wording: Wording | None = None
    effects: tuple[Effect, ...] = () if log.state == "open" else _withdrawn(log)
    if event.in_terminal and log.state == "answered":
        why = "Answered in the terminal before the other answer was typed."
    elif event.in_terminal:
        why = "Answered in the terminal."
    elif log.state == "default":
        why, wording = "Answered after its default was used.", "correction"
    else:
        why, wording = "Answered.", "answer"
    closed = _closed(log, "answered", event.at_ms, event.by, why, wording=wording)
    return Outcome(log=msgspec.structs.replace(closed.log, given=given), effects=(*effects, *closed.effects))


def _judged(log: Log, event: Judge) -> Outcome:
    if event.sure and not log.blocking:
        return _closed(log, "resolved", event.at_ms, "checker", event.why, proof=event.proof)
    looks = Looks(at_ms=event.at_ms, why=event.why, proof=event.proof)
    return Outcome(log=msgspec.structs.replace(log, looks=looks))


def _deadline(log: Log, event: Deadline) -> Outcome:
    if log.blocking:
        return _refused(log, "A blocking question has no default that is used.")
    if not log.has_default or log.default_used:
        return _refused(log, "It has no default to use.")
    why = "Nobody answered in time, so its default is used."
    closed = _closed(log, "default", event.at_ms, "timer", why, wording="default", late=event.late)
    return msgspec.structs.replace(closed, log=msgspec.structs.replace(closed.log, default_used=True))


def _undo(log: Log, event: Undo) -> Outcome:
    """An answer comes back when its message is known to be taken back; until then it stands."""
    if not is_person(event.by):
        return _refused(log, "Only a person takes something back.")
    if not can_undo(log):
        text = "There is nothing to take back." if log.state != "answered" else "The answer is typed already."
        return _refused(log, text)
    if log.state == "answered" and not log.own:
        assert log.typed is not None
        return Outcome(log=log, effects=(Withdraw(number=log.typed.number),))
    effects = _withdrawn(log) if log.state == "skipped" else ()
    return Outcome(log=_opened(log, event.at_ms, event.by, "Taken back."), effects=effects)


def _withdrawn(log: Log) -> tuple[Withdraw, ...]:
    """Take the newest message back if it waits still."""
    if log.typed is None or log.typed.fate != "waiting":
        return ()
    return (Withdraw(number=log.typed.number),)


def _reopen(log: Log, event: Reopen) -> Outcome:
    if not is_person(event.by):
        return _refused(log, "Only a person reopens a question.")
    if not can_reopen(log):
        return _refused(log, "It is open." if log.state == "open" else closed_text(log))
    effects = _withdrawn(log) if log.state == "default" else ()
    return Outcome(log=_opened(log, event.at_ms, event.by, event.why), effects=effects)


def _fated(log: Log, event: Fated) -> Outcome:
    """Fates of older messages, and news that come twice, change nothing."""
    if log.typed is None or log.typed.number != event.number or log.typed.fate == event.fate:
        return Outcome(log=log)
    typed = msgspec.structs.replace(log.typed, fate=event.fate)
    log = msgspec.structs.replace(log, typed=typed)
    if (
        event.fate == "withdrawn"
        and log.state == "answered"
        and log.given is not None
        and not log.given.in_terminal
    ):
        why = "The answer was taken back before it was typed."
        return Outcome(log=_opened(log, event.at_ms, event.by or log.given.by, why))
    return Outcome(log=log)


def _closed(
    log: Log,
    state: State,
    at_ms: int,
    by: str,
    why: str,
    *,
    proof: str | None = None,
    late: bool = False,
    wording: Wording | None = None,
) -> Outcome:
    last = Step(state=state, at_ms=at_ms, by=by, why=why, proof=proof, late=late)
    number = len(log.steps)
    closed = msgspec.structs.replace(log, steps=(*log.steps, last), looks=None)
    if wording is None or log.own:
        return Outcome(log=closed)
    closed = msgspec.structs.replace(closed, typed=Typed(number=number, wording=wording))
    return Outcome(log=closed, effects=(Type(number=number, wording=wording),))


def _opened(log: Log, at_ms: int, by: str, why: str) -> Log:
    again = Step(state="open", at_ms=at_ms, by=by, why=why)
    return msgspec.structs.replace(log, steps=(*log.steps, again), given=None, superseded_by=None, looks=None)


def _is_waiting_answer(log: Log) -> bool:
    return (
        log.state == "answered"
        and log.typed is not None
        and log.typed.fate == "waiting"
        and log.given is not None
        and not log.given.in_terminal
    )


def _refused(log: Log, text: str) -> Outcome:
    return Outcome(log=log, refusal=text)
