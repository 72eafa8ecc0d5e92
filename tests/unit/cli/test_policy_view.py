"""What the policy would do, as lines for people."""

from __future__ import annotations

from typing import Any

from controlroom.cli.policy_view import render_report
from controlroom.core.credit import CreditCard, CreditChoice
from controlroom.wire.policy import PolicyAdvice, PolicyMachine, PolicyReport, PolicyRules

RULES = PolicyRules(week_min_pct=3, five_hours_min_pct=10, margin_pct=5, cool_down_min=30)
CARD = CreditCard(
    account_id="acc_1",
    question="Shall meadow go on with paid extra usage?",
    context="Work has nothing left.",
    choices=(
        CreditChoice(key="no", label="No, wait", what="it waits 3 h"),
        CreditChoice(key="yes", label="Yes, pay", what="it costs", allows=True),
    ),
)
STAY = PolicyAdvice(
    agent_id="a", what="stay", rule="enough_left", why="", sentences=("It is on Home.", "It has enough left.")
)
ASK = PolicyAdvice(
    agent_id="b", what="ask", rule="credit_guard", why="", sentences=("Work\x1b[2J is spent.",), card=CARD
)


def lines(*advice: PolicyAdvice, **more: Any) -> list[str]:
    report = PolicyReport(at_ms=0, rules=RULES, advice=advice, **more)
    return render_report(report, {"a": "orchard", "b": "mea\ndow"}, 60, colour=False)


def test_what_needs_the_person_comes_first() -> None:
    assert lines(STAY, ASK) == [
        "mea dow  you would be asked",
        "  Work is spent.",
        "  Shall meadow go on with paid extra usage? Work has nothing",
        "  left.",
        "  No, wait: it waits 3 h.",
        "  Yes, pay: it costs.",
        "",
        "orchard  stays",
        "  It is on Home.",
        "  It has enough left.",
        "",
        "Rules: an account is left below 3 % of the week or 10 % of 5",
        "hours, for one with 5 % more than that; no agent is moved",
        "twice within 30 min.",
        "Nothing is moved by this: it says what would be done now,",
        "and why.",
    ]


def test_without_agents() -> None:
    assert lines() == ["No agent is running."]


def test_where_it_acts_by_itself() -> None:
    desk = PolicyMachine(id="mac_1", name="desk", automatic=True)
    attic = PolicyMachine(id="mac_2", name="attic", automatic=False)
    assert lines(STAY, machines=(desk,))[-2:] == [
        "On desk this is done by itself, with a receipt and an Undo",
        "for each move (policy.automatic).",
    ]
    assert lines(STAY, machines=(desk, attic))[-1].endswith("by itself.")
    assert any("is paused" in row for row in lines(STAY, machines=(desk,), paused=True))
    assert lines(STAY, machines=(attic,))[-1] == "and why."
    assert lines(STAY, unknown=("dsk",))[-1] == "policy.automatic names dsk: no machine is called so."
