"""The picture of a question's life shows exactly what the machine does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import msgspec

from controlroom.core import questions as machine
from controlroom.core.questions import STATES, Log, ask, step

PAGE = Path(__file__).parents[2] / "docs" / "explain" / "questions.md"
EDGE = re.compile(r"^ {4}(\w+|\[\*\]) --> (\w+): (.+)$", re.MULTILINE)
TYPED = re.compile(r"^\| `(\w+)` \| .+ \| (.+) \|$", re.MULTILINE)

EVENTS: tuple[machine.AnyEvent, ...] = (
    *(
        machine.Answer(at_ms=2, by=by, option="1", in_terminal=in_terminal)
        for by, in_terminal in product(("host", "device:1", "chief", "agent:1"), (False, True))
    ),
    machine.Resolve(at_ms=2, by="agent:1", why="It is done."),
    machine.Supersede(at_ms=2, question_id="q_2", why="Asked again."),
    *(machine.Judge(at_ms=2, why="It was answered.", sure=sure) for sure in (False, True)),
    *(machine.Deadline(at_ms=2, late=late) for late in (False, True)),
    *(machine.Skip(at_ms=2, by=by) for by in ("host", "chief")),
    *(machine.Dismiss(at_ms=2, by=by) for by in ("host", "chief")),
    machine.Expire(at_ms=2, why="Its agent is gone."),
    *(machine.Undo(at_ms=2, by=by) for by in ("host", "chief")),
    *(machine.Reopen(at_ms=2, by=by) for by in ("host", "chief")),
)
FATES: tuple[machine.Fate, ...] = ("waiting", "delivered", "unconfirmed", "failed", "withdrawn")

NAMES = {
    "Answer": "answer",
    "Resolve": "the agent resolves it",
    "Supersede": "asked anew",
    "Judge": "the checker is sure",
    "Deadline": "its time is over",
    "Skip": "skip",
    "Dismiss": "dismiss",
    "Expire": "nobody can answer it any more",
    "Undo": "undo",
    "Reopen": "reopen",
    "Fated": "the answer is taken back",
}
Edge = tuple[str, str, str]


def possible(log: Log) -> Iterator[machine.AnyEvent]:
    yield from EVENTS
    if log.typed is not None:
        for fate in FATES:
            yield machine.Fated(at_ms=2, number=log.typed.number, fate=fate)


def shape(log: Log) -> object:
    """What of a log can decide anything: not how long it is, and not its times and words."""
    typed = log.typed and (log.typed.wording, log.typed.fate, log.typed.number == len(log.steps) - 1)
    given = log.given and (log.given.by, log.given.in_terminal)
    return (log.state, log.blocking, log.has_default, log.default_used, typed, given, log.looks is None)


def transitions() -> tuple[set[Edge], dict[str, set[str]]]:
    """Every step that any log can take, and what is typed because of it, by the state that it leads to."""
    edges: set[Edge] = set()
    typed: dict[str, set[str]] = {state: set() for state in STATES}
    found = [
        ask(at_ms=1, by="agent:1", blocking=blocking, has_default=has_default)
        for blocking, has_default in product((False, True), (False, True))
    ]
    seen = {msgspec.json.encode(shape(log)) for log in found}
    while found:
        log = found.pop()
        for event in possible(log):
            outcome = step(log, event)
            assert outcome.log.steps[: len(log.steps)] == log.steps
            if len(outcome.log.steps) > len(log.steps):
                edges.add((log.state, NAMES[type(event).__name__], outcome.log.state))
            for effect in outcome.effects:
                if isinstance(effect, machine.Type):
                    typed[outcome.log.state].add(effect.wording)
            key = msgspec.json.encode(shape(outcome.log))
            if key not in seen:
                seen.add(key)
                found.append(outcome.log)
    return edges, typed


def test_the_diagram_shows_every_step_that_the_machine_allows_and_no_other() -> None:
    drawn = {(begin, name, end) for begin, end, name in EDGE.findall(PAGE.read_text())}
    allowed = {("[*]", "asked", "open")} | transitions()[0]
    wanted = "\n".join(f"    {begin} --> {end}: {name}" for begin, name, end in sorted(allowed))
    assert drawn == allowed, f"The machine allows:\n{wanted}"


def test_the_table_says_of_each_state_whether_something_is_typed() -> None:
    typed = transitions()[1]
    said = {state: words.strip() != "nothing" for state, words in TYPED.findall(PAGE.read_text())}
    assert said == {state: bool(typed[state]) for state in STATES if state != "open"}
    assert typed["open"] == set()
