"""Questions as a person reads them in a terminal: cards that wait, one whole card, the history. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo

import msgspec

from controlroom.cli import text, times
from controlroom.cli.chat_view import delivery_words
from controlroom.cli.errors import wrong_use
from controlroom.cli.look import Span, between, compose
from controlroom.cli.palette import Role
from controlroom.wire.model import Fleet
from controlroom.wire.question import Question, QuestionOption, QuestionStep

SHORTEST = 6  # characters of an id that are shown at least: "q_" and four more
CONTEXT_LINES = 3  # in the list; the whole card has all
INDENT = "   "


class QuestionView(msgspec.Struct, frozen=True):
    """What a picture of questions needs besides them. ``names``: of agents, ``ids``: short ones."""

    now_ms: int
    width: int
    names: Mapping[str, str] = {}
    ids: Mapping[str, str] = {}
    colour: bool = False
    paused: bool = False
    zone: tzinfo | None = None

    def line(self, *spans: Span) -> str:
        return compose(spans, self.width, self.colour)

    def wrapped(self, said: str, role: Role = "plain", indent: str = INDENT, most: int = 0) -> list[str]:
        """Outside text as lines behind an indent; ``most`` lines, the last one cut, or all of them."""
        rows = text.wrap(text.block(said, 20_000).strip(), self.width - len(indent))
        if most and len(rows) > most:
            rows = [*rows[: most - 1], text.clip(" ".join(rows[most - 1 :]), self.width - len(indent))]
        return [self.line((indent, "plain"), (row, role)) for row in rows]


def names_of(fleet: Fleet) -> dict[str, str]:
    """What agents are called, with the machine where there are several."""
    machines = {machine.id: machine.name for machine in fleet.machines} if len(fleet.machines) > 1 else {}
    return {
        agent.id: agent.name + (f" on {machines[agent.machine_id]}" if agent.machine_id in machines else "")
        for agent in fleet.agents
    }


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """For each id the shortest beginning that no other one of these has."""
    ordered = sorted(set(ids))
    found = {}
    for at, whole in enumerate(ordered):
        neighbours = [*ordered[max(at - 1, 0) : at], *ordered[at + 1 : at + 2]]
        shared = max((_shared(whole, other) for other in neighbours), default=0)
        found[whole] = whole[: max(shared + 1, SHORTEST)]
    return found


def _shared(one: str, other: str) -> int:
    for at, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine != theirs:
            return at
    return min(len(one), len(other))


# ---- cards -------------------------------------------------------------------------------------------------


def render_open(questions: Sequence[Question], view: QuestionView) -> list[str]:
    """The Inbox: every open card, in the order given."""
    if not questions:
        return [view.line(("Nothing waits for you.", "head"))]
    count = len(questions)
    blocking = sum(question.blocking for question in questions)
    head = f"{count} question{' waits' if count == 1 else 's wait'} for you"
    lines = [view.line((head, "head"), (f" · {blocking} blocking" if blocking else "", "lamp"))]
    for question in questions:
        lines += ["", *render_card(question, view, is_whole=False)]
    return lines


def render_card(question: Question, view: QuestionView, *, is_whole: bool) -> list[str]:
    """One card. ``is_whole``: nothing is shortened, and its history follows."""
    age = f"{times.span(view.now_ms - question.asked_at_ms)} ago"
    tag = "  Blocking" if question.blocking and question.state == "open" else ""
    left: list[Span] = [("●? ", "lamp" if question.state == "open" else "rest")]
    left += [(_agent(question, view), "name"), (tag, "lamp"), (f"  {age}", "meta")]
    shown = question.id if is_whole else view.ids.get(question.id, question.id)
    lines = [between(left, [(shown, "meta")], view.width, view.colour)]
    lines += view.wrapped(question.question or "(It asks nothing.)", "name")
    if question.context:
        lines += view.wrapped(question.context, "meta", most=0 if is_whole else CONTEXT_LINES)
    for option in question.options:
        lines += _option(option, question.options, view)
    for said, role in _facts(question, view):
        lines += view.wrapped(said, role)
    if is_whole and question.raw is not None:
        lines += ["", view.line((f"{INDENT}As it was written:", "meta"))]
        raw = text.wrap(text.block(question.raw), view.width - 6)
        lines += [view.line(("      ", "plain"), (entry, "plain")) for entry in raw]
    if is_whole:
        lines += ["", *_history(question, view)]
    return lines


def _option(option: QuestionOption, options: Sequence[QuestionOption], view: QuestionView) -> list[str]:
    width = max(text.cells(text.line(one.key, 20)) for one in options)
    indent = INDENT + " " * (width + 4)
    label = text.line(option.label, 2_000) + (" (recommended)" if option.recommended else "")
    rows = text.wrap(label, view.width - len(indent))
    rows += text.wrap(text.line(option.what, 5_000), view.width - len(indent)) if option.what else []
    named = len(text.wrap(label, view.width - len(indent)))
    key = f"{INDENT}  {text.pad(text.line(option.key, 20), width)}  "
    return [
        view.line((key if at == 0 else indent, "lamp"), (row, "plain" if at < named else "meta"))
        for at, row in enumerate(rows)
    ]


def _facts(question: Question, view: QuestionView) -> list[tuple[str, Role]]:
    """What else stands on a card, a sentence each."""
    found: list[tuple[str, Role]] = []
    if question.multi:
        found.append(("Several may be chosen.", "meta"))
    if question.state == "open":
        found.append(_deadline(question, view))
    else:
        outcome = outcome_words(question)
        found.append((state_words(question) + (f": {outcome}" if outcome else "."), "good"))
    if question.state == "open" and question.blocking and question.default is not None:
        found.append((f"Its default is not used: {question.default.text}", "meta"))
    if question.blocking_why:
        found.append((f"Blocking: {question.blocking_why}", "meta"))
    if question.state == "open" and question.default is not None and question.default.problem:
        found.append((question.default.problem, "fault"))
    if question.doc:
        found.append((f"Doc: {question.doc}", "meta"))
    if question.problem:
        found.append((f"Not quite in its form: {question.problem}", "meta"))
    if question.looks_answered is not None:
        found.append((f"Looks answered: {question.looks_answered.why}", "good"))
    if question.more:
        found.append((f"It stands for {question.more} questions that came too fast.", "fault"))
    if question.replaces:
        found.append((f"Replaces {view.ids.get(question.replaces, question.replaces)}.", "meta"))
    return found


def _deadline(question: Question, view: QuestionView) -> tuple[str, Role]:
    default = question.default
    if question.blocking:
        return "It waits for you.", "lamp"
    if default is None:
        return "It waits for you; it has no default.", "meta"
    if default.due_at_ms is None:
        return f"Default, at no certain time: {default.text}", "meta"
    at = times.stamp(default.due_at_ms, view.now_ms, view.zone)
    if view.paused:
        return f"Default at {at}, not while the Control Room is paused: {default.text}", "lamp"
    left = default.due_at_ms - view.now_ms
    when = f"in {times.span(left)}" if left > 0 else "now"
    return f"Default {when}, at {at}: {default.text}", "lamp"


# ---- how it ended ------------------------------------------------------------------------------------------


def render_history(questions: Sequence[Question], view: QuestionView) -> list[str]:
    """Questions of all states, one short paragraph each."""
    lines: list[str] = []
    for question in questions:
        shown = view.ids.get(question.id, question.id)
        when = times.stamp(question.history[-1].at_ms, view.now_ms, view.zone) if question.history else ""
        left: list[Span] = [(f"{when}  ", "meta"), (_agent(question, view), "name")]
        left.append((f"  {state_words(question)}", "lamp" if question.state == "open" else "plain"))
        lines.append(between(left, [(shown, "meta")], view.width, view.colour))
        lines += view.wrapped(question.question, most=2)
        if (said := outcome_words(question)) != "":
            lines += view.wrapped(said, "meta", most=2)
    return lines


def state_words(question: Question) -> str:
    """How it stands or was closed, in the words of the design."""
    by = _who(question.history[-1].by if question.history else "")
    late = ", late" if question.history and question.history[-1].late else ""
    return {
        "open": "Waits for you",
        "answered": f"Answered by {by}",
        "resolved": "Closed by the checker" if by == "the checker" else f"Resolved by {by}",
        "superseded": "Replaced by a newer question",
        "default": f"Default used{late}",
        "skipped": f"Skipped by {by}",
        "dismissed": f"Dismissed by {by}",
        "expired": "Expired",
    }[question.state]


def outcome_words(question: Question) -> str:
    """What came of it, with its proof; "" when the state says all."""
    last = question.history[-1] if question.history else None
    if question.state == "answered" and question.answer is not None:
        sent = question.answer.delivery
        typed = "" if sent is None else f". {delivery_words(sent)}"
        return f"{answer_words(question)}{typed}"
    if question.state == "default" and question.default is not None:
        return question.default.text
    if last is None or question.state in ("open", "skipped", "dismissed", "superseded"):
        return ""
    return last.why + (f" “{text.line(last.proof, 500)}”" if last.proof else "")


def answer_words(question: Question) -> str:
    """The answer that stands: whole labels in quotes, and the note."""
    parts = [f"“{text.line(label, 500)}”" for label in chosen_labels(question)]
    if question.answer is not None and question.answer.text:
        parts.append(f"“{text.line(question.answer.text, 2_000)}”")
    return ", ".join(parts)


def chosen_labels(question: Question) -> list[str]:
    """The labels of the options that were chosen; a key that no option has stands for itself."""
    if question.answer is None or question.answer.option is None:
        return []
    labels = {option.key: option.label for option in question.options}
    said = question.answer.option
    keys = [said] if said in labels else said.split(", ")
    return [labels.get(key, key) for key in keys]


def _history(question: Question, view: QuestionView) -> list[str]:
    return [entry for taken in question.history for entry in _step(taken, view)]


def _step(taken: QuestionStep, view: QuestionView) -> list[str]:
    at = times.stamp(taken.at_ms, view.now_ms, view.zone)
    late = " (late)" if taken.late else ""
    lines = view.wrapped(f"{at}  {taken.state}{late}, by {_who(taken.by)}: {taken.why}", "meta")
    if taken.proof:
        lines += view.wrapped(f"“{taken.proof}”", "plain", indent="      ")
    return lines


def _who(by: str) -> str:
    if by == "host" or by.startswith("device:"):
        return "you"
    if by.startswith("agent"):
        return "the agent"
    return {"timer": "the clock", "": "somebody"}.get(by, f"the {text.line(by, 40)}")


def _agent(question: Question, view: QuestionView) -> str:
    return text.line(view.names.get(question.agent_id, question.agent_id), 60)


# ---- choosing ----------------------------------------------------------------------------------------------


def choose(question: Question, said: str) -> list[QuestionOption]:
    """The options somebody names by key or whole label (several, with commas, where it takes them).

    Raises CliError when it is not one of them: nothing is ever guessed.
    """
    whole = _one(question.options, said)
    if whole is not None:
        return [whole]
    if question.multi:
        found = [_one(question.options, part.strip()) for part in said.split(",")]
        kept = [option for option in found if option is not None]
        if len(kept) == len(found):
            return kept
    if not question.options:
        raise wrong_use("This question has no options. Answer it in words: --text")
    offered = ", ".join(f"{text.line(o.key, 20)} ({text.line(o.label, 80)})" for o in question.options)
    raise wrong_use(f"{text.line(said, 80)!r} is not one of its options: {offered}.")


def _one(options: Sequence[QuestionOption], said: str) -> QuestionOption | None:
    for option in options:
        if option.key == said:
            return option
    named = [option for option in options if option.label.casefold().strip() == said.casefold().strip()]
    return named[0] if len(named) == 1 else None


def how_to_answer(question: Question, shown: str, hint: Callable[..., str]) -> list[str]:
    """What to type next; ``hint`` makes a command of words."""
    if question.state == "open":
        first = [hint("answer", shown, question.options[0].key)] if question.options else []
        ways = [f"Answer:   {way}" for way in first]
        ways += [f"In words: {hint('answer', shown, '--text', '…')}"] if question.free_text else []
        return [*ways, f"Skip:     {hint('skip', shown)}"]
    if question.undo_until_ms is not None:
        return [f"Take it back: {hint('undo', shown)}"]
    return [f"Open it again: {hint('reopen', shown)}"] if question.reopenable else []
