"""The credit guard: nothing costs money without the person."""

from __future__ import annotations

from typing import Any

import pytest

from controlroom.core.allowance import PolicyAccount
from controlroom.core.credit import card, guard
from controlroom.core.policy import Advice, advise_one
from tests.unit.core.policies import DAY, HOUR, NOW, account, agent, situation

SPENT: dict[str, Any] = {"week": 0, "short": 60}


def paid(extra: str, **given: Any) -> PolicyAccount:
    return account("Work", **{**SPENT, "extra": extra, **given})


@pytest.mark.parametrize(
    ("deed", "given", "answer", "verdict"),
    [
        ("go_on", paid("on"), None, "ask"),
        ("go_on", paid("on"), True, "allowed"),
        ("go_on", paid("on"), False, "refused"),
        ("go_on", paid("off"), None, "free"),
        ("go_on", paid("on", week=1), None, "free"),
        ("go_on", paid("on", week=60, hold_until_ms=NOW + HOUR), None, "ask"),
        ("go_on", paid("on", week=60, hold_until_ms=NOW), None, "free"),
        ("go_on", paid("on", week_ends=0), None, "free"),  # reset: full again
        ("go_on", paid("unknown"), None, "free"),  # it goes on or stops by itself
        ("resume", paid("on"), None, "ask"),
        ("resume", paid("unknown"), None, "ask"),
        ("resume", paid("off"), None, "free"),
        ("resume", paid("unknown", week=60), None, "free"),
        ("resume", paid("on", week=60, ago=HOUR), None, "free"),  # no worse than to go on
        ("move", paid("on"), None, "ask"),
        ("move", paid("on", week=60, ago=HOUR), None, "ask"),  # it may be spent by now
        ("move", paid("on", week=60, ago=HOUR), True, "allowed"),
        ("move", paid("unknown", week=60, ago=HOUR), None, "free"),
    ],
)
def test_when_the_person_is_asked(deed: Any, given: PolicyAccount, answer: bool | None, verdict: str) -> None:
    assert guard(deed, given, "", NOW, answer) == verdict


def test_the_card_names_account_price_and_choices() -> None:
    """The account in the context only: the question stands in receipts, and a name may be an address."""
    asked = card("go_on", "orchard", paid("on", extra_said="41.20 of 50.00 USD are used."), "", NOW)
    assert asked.account_id == "work"
    assert asked.question == "Shall orchard go on with paid extra usage?"
    assert (
        asked.context == "Work has nothing left. Paid extra usage is on there. 41.20 of 50.00 USD are used."
    )
    assert [(one.key, one.label, one.allows) for one in asked.choices] == [
        ("no", "No, wait", False),
        ("yes", "Yes, pay", True),
    ]
    assert "in 3 d" in asked.choices[0].what
    assert "costs extra for 3 d" in asked.choices[1].what


def test_what_is_not_known_is_said_on_the_card() -> None:
    asked = card("resume", "orchard", paid("unknown"), "", NOW)
    assert asked.question == "Shall orchard be resumed with paid extra usage?"
    assert "is not known" in asked.context
    assert "What it costs is not known here." in asked.context
    old = card("move", "orchard", account("Work", extra="on", ago=HOUR), "", NOW)
    assert "may have nothing left: its reading is old" in old.context


# ---- within the policy -------------------------------------------------------------------------------------


def advice(own: PolicyAccount, *others: PolicyAccount, activity: str = "idle", **given: Any) -> Advice:
    return advise_one(agent(activity=activity), situation(own, *others, **given))


def test_unanswered_means_no() -> None:
    found = advice(paid("on"))
    assert (found.what, found.rule, found.to_profile_id) == ("ask", "credit_guard", None)
    assert found.card is not None
    assert found.card.account_id == "work"


@pytest.mark.parametrize(
    ("allows", "what", "rule"), [(True, "stay", "credit_allowed"), (False, "wait", "credit_refused")]
)
def test_the_answer_counts(allows: bool, what: str, rule: str) -> None:
    found = advice(paid("on"), answers={"work": allows})
    assert (found.what, found.rule, found.card) == (what, rule, None)


def test_an_answer_is_for_one_account() -> None:
    assert advice(paid("on"), answers={"home": True}).what == "ask"


def test_a_move_at_once_needs_no_money() -> None:
    found = advice(paid("on"), account("Home"))
    assert (found.what, found.to_profile_id, found.card) == ("move", "p-home", None)


@pytest.mark.parametrize("activity", ["working", "blocked", "helpers", "unknown"])
def test_a_move_that_has_to_wait_leaves_it_on_a_spent_account(activity: str) -> None:
    found = advice(paid("on"), account("Home"), activity=activity)
    assert (found.what, found.to_profile_id) == ("ask", "p-home")
    refused = advice(paid("on"), account("Home"), activity="working", answers={"work": False})
    assert (refused.what, refused.when) == ("move", "idle")
    assert "You did not allow paid extra usage on Work" in refused.sentences[-1]


def test_no_landing_where_it_may_cost() -> None:
    perhaps = account("Home", extra="on", ago=HOUR)
    found = advice(account("Work", 2), perhaps)
    assert (found.what, found.card and found.card.account_id) == ("ask", "home")
    assert advice(account("Work", 2), perhaps, answers={"home": False}).rule == "no_target"
    assert advice(account("Work", 2), perhaps, answers={"home": True}).to_profile_id == "p-home"
    proven = account("Lab", week_ends=6 * DAY)
    assert advice(account("Work", 2), perhaps, proven).to_profile_id == "p-lab"


def test_what_is_not_known_of_its_own_account_is_said() -> None:
    found = advice(paid("unknown"))
    assert (found.what, found.rule) == ("stay", "no_target")
    assert found.sentences[-1] == "Whether Work would go on with paid extra usage is not known."
