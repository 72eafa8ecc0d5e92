"""The life of a question: who wins, what is typed, and what holds whatever happens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.questions import (
    Answer,
    AnyEvent,
    Deadline,
    Dismiss,
    Expire,
    Fate,
    Fated,
    Judge,
    Log,
    Outcome,
    Reopen,
    Resolve,
    Skip,
    Step,
    Supersede,
    Type,
    Undo,
    Withdraw,
    ask,
    can_reopen,
    can_undo,
    closed_text,
    is_person,
    step,
)

PHONE, AGENT = "device:dev_1", "agent:agt_1"
YES = Answer(at_ms=2, by=PHONE, option="1")
RESOLVED = Resolve(at_ms=2, by=AGENT, why="Found it.")
NEWER = Supersede(at_ms=2, question_id="q_2", why="Asked anew.")
SURE = Judge(at_ms=2, why="They agreed on 2.", sure=True, proof="Let us take 2.")
UNSURE = Judge(at_ms=2, why="Maybe.", sure=False)
DUE = Deadline(at_ms=2)
SKIP, DISMISS = Skip(at_ms=2, by=PHONE), Dismiss(at_ms=2, by=PHONE)
EXPIRED = Expire(at_ms=2, why="Its agent is gone.")
UNDO, REOPEN = Undo(at_ms=3, by=PHONE), Reopen(at_ms=3, by=PHONE)


def asked(*, blocking: bool = False, has_default: bool = True) -> Log:
    return ask(at_ms=1, by=AGENT, blocking=blocking, has_default=has_default)


def play(log: Log, *events: AnyEvent) -> Outcome:
    outcome = Outcome(log=log)
    for event in events:
        outcome = step(outcome.log, event)
    return outcome


@pytest.mark.parametrize(
    ("event", "state", "by", "typed"),
    [
        (YES, "answered", PHONE, "answer"),
        (Answer(at_ms=2, by="host", text="both", in_terminal=True), "answered", "host", None),
        (Answer(at_ms=2, by="chief", option="1"), "answered", "chief", "answer"),
        (RESOLVED, "resolved", AGENT, None),
        (NEWER, "superseded", "agent", None),
        (SURE, "resolved", "checker", None),
        (DUE, "default", "timer", "default"),
        (SKIP, "skipped", PHONE, "skip"),
        (DISMISS, "dismissed", PHONE, None),
        (EXPIRED, "expired", "timer", None),
    ],
)
def test_each_closer_closes_an_open_question(event: AnyEvent, state: str, by: str, typed: str | None) -> None:
    outcome = step(asked(), event)
    assert (outcome.log.state, outcome.log.steps[-1].by, outcome.refusal) == (state, by, None)
    assert [effect.wording for effect in outcome.effects if isinstance(effect, Type)] == [typed] * bool(typed)


@pytest.mark.parametrize("event", [YES, RESOLVED, NEWER, SURE, DUE, SKIP, DISMISS, EXPIRED])
@pytest.mark.parametrize("winner", [YES, RESOLVED, NEWER, SURE, SKIP, DISMISS, EXPIRED])
def test_a_loser_is_told_who_won_and_nothing_is_typed(winner: AnyEvent, event: AnyEvent) -> None:
    won = step(asked(), winner).log
    lost = step(won, event)
    assert (lost.log, lost.effects) == (won, ())
    assert lost.refusal


@pytest.mark.parametrize(
    "event", [DUE, SURE, Answer(at_ms=2, by="chief", option="1"), Answer(at_ms=2, by=AGENT)]
)
def test_nobody_but_the_person_closes_a_blocking_question(event: AnyEvent) -> None:
    outcome = step(asked(blocking=True), event)
    assert (outcome.log.state, outcome.effects) == ("open", ())
    assert (outcome.log.looks is not None) == (event is SURE)


def test_an_unsure_verdict_only_marks() -> None:
    outcome = step(asked(), UNSURE)
    assert (outcome.log.state, outcome.log.looks is not None) == ("open", True)


def test_an_answer_after_the_default_corrects_it() -> None:
    outcome = play(asked(), DUE, Fated(at_ms=2, number=1, fate="delivered"), YES)
    assert (outcome.log.state, outcome.effects) == ("answered", (Type(number=2, wording="correction"),))


def test_a_default_that_is_not_told_yet_is_taken_back_for_the_answer() -> None:
    outcome = play(asked(), DUE, YES)
    assert outcome.effects == (Withdraw(number=1), Type(number=2, wording="correction"))
    assert play(asked(), DUE, REOPEN).effects == (Withdraw(number=1),)
    desk = play(asked(), DUE, Answer(at_ms=2, by="host", text="2", in_terminal=True))
    assert (desk.effects, can_undo(desk.log)) == ((Withdraw(number=1),), False)


@pytest.mark.parametrize(("fate", "can"), [("unconfirmed", True), ("failed", True), ("delivered", False)])
def test_an_answer_that_may_not_have_arrived_is_reopened(fate: Fate, can: bool) -> None:
    outcome = play(asked(), YES, Fated(at_ms=3, number=1, fate=fate), REOPEN)
    assert (outcome.log.state == "open") == can


def test_whoever_took_it_back_stands_in_the_history() -> None:
    back = play(asked(), YES, Fated(at_ms=4, number=1, fate="withdrawn", by="host"))
    assert (back.log.state, back.log.steps[-1].by) == ("open", "host")


@pytest.mark.parametrize(
    ("by", "device", "text"),
    [
        (PHONE, "Pixel", "It was answered by you with Pixel already: Yes."),
        (PHONE, None, "It was answered by you already: Yes."),
        ("host", None, "It was answered by you at the computer already: Yes."),
        ("chief", None, "It was answered by the chief already: Yes."),
    ],
)
def test_the_winner_is_named(by: str, device: str | None, text: str) -> None:
    log = step(asked(), Answer(at_ms=2, by=by, option="1")).log
    assert closed_text(log, device=device, said="Yes") == text


def test_a_default_is_used_once() -> None:
    outcome = play(asked(), DUE, REOPEN, Deadline(at_ms=4))
    assert (outcome.log.state, outcome.effects) == ("open", ())
    assert outcome.refusal


def test_an_answer_comes_back_when_its_message_was_taken_back() -> None:
    undone = play(asked(), YES, UNDO)
    assert (undone.log.state, undone.effects) == ("answered", (Withdraw(number=1),))
    back = step(undone.log, Fated(at_ms=4, number=1, fate="withdrawn"))
    assert (back.log.state, back.log.given) == ("open", None)
    again = step(back.log, Answer(at_ms=5, by="host", option="2"))
    assert again.effects == (Type(number=3, wording="answer"),)


def test_an_answer_that_is_typed_stays() -> None:
    outcome = play(asked(), YES, Fated(at_ms=3, number=1, fate="delivered"), UNDO)
    assert (outcome.log.state, outcome.effects) == ("answered", ())
    assert outcome.refusal == "The answer is typed already."


def test_the_terminal_takes_the_place_of_an_answer_that_waits() -> None:
    desk = Answer(at_ms=3, by="host", text="2", in_terminal=True)
    outcome = play(asked(), YES, desk)
    assert outcome.effects == (Withdraw(number=1),)
    after = step(outcome.log, Fated(at_ms=4, number=1, fate="withdrawn")).log
    assert (after.state, after.given and after.given.text) == ("answered", "2")


@pytest.mark.parametrize("event", [SKIP, DISMISS])
def test_a_skip_and_a_dismissal_are_taken_back(event: AnyEvent) -> None:
    outcome = play(asked(), event, UNDO)
    assert outcome.log.state == "open"
    assert outcome.effects == ((Withdraw(number=1),) if event is SKIP else ())


@pytest.mark.parametrize("event", [RESOLVED, NEWER, SURE, DUE, EXPIRED])
def test_what_no_person_closed_is_reopened(event: AnyEvent) -> None:
    outcome = play(asked(), event, REOPEN)
    assert (outcome.log.state, outcome.refusal) == ("open", None)


FATES: tuple[Fate, ...] = ("waiting", "delivered", "unconfirmed", "failed", "withdrawn")
_who = st.sampled_from([PHONE, "host", "chief", AGENT, "checker", "timer"])
EVENTS = st.one_of(
    st.builds(Answer, at_ms=st.just(2), by=_who, option=st.just("1"), in_terminal=st.booleans()),
    st.builds(Skip, at_ms=st.just(2), by=_who),
    st.builds(Dismiss, at_ms=st.just(2), by=_who),
    st.builds(Undo, at_ms=st.just(2), by=_who),
    st.builds(Reopen, at_ms=st.just(2), by=_who),
    st.builds(Judge, at_ms=st.just(2), why=st.just("w"), sure=st.booleans()),
    st.builds(Deadline, at_ms=st.just(2), late=st.booleans()),
    st.builds(Fated, at_ms=st.just(2), number=st.integers(0, 12), fate=st.sampled_from(FATES)),
    st.sampled_from([RESOLVED, NEWER, EXPIRED]),
)


@given(st.lists(EVENTS, max_size=30), st.booleans(), st.booleans())
def test_whatever_happens(events: list[AnyEvent], blocking: bool, has_default: bool) -> None:
    log = asked(blocking=blocking, has_default=has_default)
    typed: list[Type] = []
    for event in events:
        before = log
        outcome = step(log, event)
        log = outcome.log
        assert log.steps[: len(before.steps)] == before.steps  # no step is ever taken away
        if outcome.refusal is not None:
            assert (log, outcome.effects) == (before, ())
        typed += [effect for effect in outcome.effects if isinstance(effect, Type)]
        for effect in outcome.effects:
            if isinstance(effect, Withdraw):
                assert effect.number in [one.number for one in typed]
        assert (log.state == "answered") == (log.given is not None)
        assert not (can_undo(log) and can_reopen(log))
        assert all(
            earlier.state != later.state or later.state == "answered" for earlier, later in _pairs(log)
        )
    numbers = [one.number for one in typed]
    assert numbers == sorted(set(numbers))  # one message for one step, each once
    wanted = {"answer": "answered", "correction": "answered", "default": "default", "skip": "skipped"}
    for one in typed:
        assert log.steps[one.number].state == wanted[one.wording]
    assert [one.wording for one in typed].count("default") <= 1
    if blocking:
        closers = [
            one.by for one in log.steps if one.state in ("answered", "default", "skipped", "dismissed")
        ]
        assert all(is_person(by) for by in closers)
        assert not any(one.by in ("checker", "chief") for one in log.steps)


def _pairs(log: Log) -> list[tuple[Step, Step]]:
    return list(zip(log.steps, log.steps[1:], strict=False))


# ---- what the Control Room asks itself ---------------------------------------------------------------------

OWN = ask(at_ms=1, by="policy", blocking=True, has_default=False, own=True)


@pytest.mark.parametrize(
    ("event", "state"), [(YES, "answered"), (SKIP, "skipped"), (DISMISS, "dismissed"), (EXPIRED, "expired")]
)
def test_nothing_is_typed_because_of_an_own_question(event: AnyEvent, state: str) -> None:
    outcome = step(OWN, event)
    assert (outcome.log.state, outcome.effects, outcome.log.typed) == (state, (), None)


@pytest.mark.parametrize("event", [RESOLVED, NEWER, SURE, UNSURE, DUE, Answer(at_ms=2, by=AGENT, option="1")])
def test_nobody_but_the_person_closes_an_own_question(event: AnyEvent) -> None:
    outcome = step(OWN, event)
    assert outcome.log == OWN and outcome.refusal is not None


def test_an_own_answer_is_taken_back_as_long_as_it_stands() -> None:
    answered = step(OWN, YES).log
    assert can_undo(answered) and not can_reopen(answered)
    again = step(answered, UNDO)
    assert (again.log.state, again.log.given, again.effects) == ("open", None, ())
    assert not can_reopen(step(OWN, EXPIRED).log)
