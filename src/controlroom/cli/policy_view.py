"""What the policy would do, as lines: first what, then why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlroom.cli import text
from controlroom.cli.look import compose
from controlroom.cli.palette import Role
from controlroom.wire.policy import PolicyAdvice, PolicyReport

DRY_RUN = "Nothing is moved by this: it says what would be done now, and why."
PAUSED = "The Control Room is paused, so nothing of it is done by itself."
INDENT = "  "

_WHAT: Mapping[str, tuple[str, Role]] = {
    "stay": ("stays", "meta"),
    "wait": ("waits", "work"),
    "move": ("would move", "work"),
    "ask": ("you would be asked", "lamp"),
}


def render_report(report: PolicyReport, names: Mapping[str, str], width: int, colour: bool) -> list[str]:
    """One paragraph for each agent, those with something to do first; ``names`` by the agent's id."""
    if not report.advice:
        return ["No agent is running."]
    order = ("ask", "move", "wait", "stay")
    lines: list[str] = []
    for advice in sorted(report.advice, key=lambda one: order.index(one.what)):
        lines += [
            *_paragraph(advice, text.line(names.get(advice.agent_id, advice.agent_id), 60), width, colour),
            "",
        ]
    rules = report.rules
    said = (
        f"Rules: an account is left below {rules.week_min_pct:g} % of the week or"
        f" {rules.five_hours_min_pct:g} % of 5 hours, for one with {rules.margin_pct:g} % more than that;"
        f" no agent is moved twice within {rules.cool_down_min:g} min."
    )
    lines += [*text.wrap(said, width), *text.wrap(_acting(report), width)]
    if report.unknown:
        wrong = ", ".join(text.line(name, 60) for name in report.unknown)
        lines += text.wrap(f"policy.automatic names {wrong}: no machine is called so.", width)
    return lines


def _acting(report: PolicyReport) -> str:
    """Where it is done by itself."""
    names = [text.line(machine.name, 60) for machine in report.machines if machine.automatic]
    if not names:
        return DRY_RUN
    if report.paused:
        return PAUSED
    others = " Elsewhere nothing is moved by itself." if len(names) < len(report.machines) else ""
    return (
        f"On {', '.join(names)} this is done by itself, with a receipt and an Undo for each move"
        f" (policy.automatic).{others}"
    )


def _paragraph(advice: PolicyAdvice, name: str, width: int, colour: bool) -> list[str]:
    word, role = _WHAT[advice.what]
    lines = [compose([(name, "name"), (f"  {word}", role)], width, colour)]
    lines += _wrapped(advice.sentences, width)
    if advice.card is not None:
        asked = (
            f"{advice.card.question} {advice.card.context}",
            *(f"{one.label}: {one.what}." for one in advice.card.choices),
        )
        lines += _wrapped(asked, width)
    return lines


def _wrapped(sentences: Sequence[str], width: int) -> list[str]:
    return [
        INDENT + line
        for sentence in sentences
        for line in text.wrap(text.line(sentence, 600), max(width - len(INDENT), 20))
    ]
