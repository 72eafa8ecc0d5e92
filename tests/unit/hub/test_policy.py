"""The policy's opinion of a fleet as clients see it, judged machine by machine."""

from __future__ import annotations

from typing import Any

import pytest

from controlroom.core.usage import Hold, Paid, profile_id
from controlroom.hub.policy import policy_report, reserve_of
from controlroom.kit.settings import Policy
from controlroom.wire.model import Agent, FaultInfo, Machine
from controlroom.wire.policy import PolicyAdvice, PolicyReport
from controlroom.wire.usage import Account, AccountWindow, Profile
from tests.unit.cli.agents import DAY, HOUR, MIN, NOW, agent


def window(length: int, used: float | None, ends_in: int = HOUR) -> AccountWindow:
    return AccountWindow(
        name="week" if length > 300 else "5 hours",
        length_minutes=length,
        used_pct=used,
        resets_at_ms=NOW + ends_in,
        taken_at_ms=NOW - MIN,
        source="endpoint",
        state="fresh",
    )


def account(name: str, week: float | None = 40, **more: Any) -> Account:
    usual: dict[str, Any] = {
        "id": f"acc_{name.lower()}",
        "kind": "claude",
        "login": "ok",
        "profiles": (f"prf_{name.lower()}",),
        "windows": (window(300, 20), window(10_080, week, 2 * DAY)),
    }
    return Account(name=name, **(usual | more))


def profile(name: str, machine_id: str = "mac_1", **more: Any) -> Profile:
    usual: dict[str, Any] = {
        "id": f"prf_{name.lower()}",
        "kind": "claude",
        "folder": f"/home/kim/.claude-{name.lower()}",
        "account": f"acc_{name.lower()}",
        "login": "ok",
    }
    return Profile(name=name, machine_id=machine_id, **(usual | more))


WORK = agent("orchard", profile="/home/kim/.claude-work", model="claude-opus-9")
LOW, HOME = account("Work", 98), account("Home")
BOTH = (profile("Work"), profile("Home"))


def report(*agents: Agent, accounts: Any = (LOW, HOME), profiles: Any = BOTH, **given: Any) -> PolicyReport:
    return policy_report(agents or (WORK,), accounts, profiles, Policy(**given), NOW)


def first(*agents: Agent, **given: Any) -> PolicyAdvice:
    return report(*agents, **given).advice[0]


def test_a_move() -> None:
    found = first()
    assert (found.agent_id, found.what, found.rule, found.when) == (WORK.id, "move", "week_low", "now")
    assert (found.account, found.to_profile) == ("acc_work", "prf_home")
    assert found.why == "2 % of the week is below the minimum of 3 %; it ends in 2 d."


def test_the_settings_are_the_rules() -> None:
    made = report(week_min_pct=1, margin_pct=7)
    assert made.advice[0].rule == "enough_left"
    assert (made.rules.week_min_pct, made.rules.margin_pct, made.rules.cool_down_min) == (1, 7, 30)


def test_where_it_may_act() -> None:
    desk = Machine(
        id="mac_1", name="desk", primary=True, online=True, last_seen_ms=NOW, version="1", capabilities=()
    )
    settings = Policy(automatic=("desk", "dsk"))
    made = policy_report((WORK,), (LOW, HOME), BOTH, settings, NOW, machines=(desk,))
    assert [(one.id, one.automatic) for one in made.machines] == [("mac_1", True)]
    assert made.unknown == ("dsk",)
    assert not policy_report((), (), (), Policy(), NOW, machines=(desk,)).machines[0].automatic


def test_only_profiles_of_its_own_machine_count() -> None:
    elsewhere = (profile("Work"), profile("Home", "mac_2"))
    assert first(profiles=elsewhere).rule == "no_target"
    there = agent("far", machine_id="mac_2", profile="/home/kim/.claude-home")
    assert [one.rule for one in report(WORK, there, profiles=elsewhere).advice] == [
        "no_target",
        "enough_left",
    ]


@pytest.mark.parametrize(
    ("folder", "is_known"),
    [("/home/kim/.claude-work", True), ("/data/work", True), ("/data/other", False), (None, False)],
)
def test_a_profile_is_known_by_its_folder_or_its_real_path(folder: str | None, is_known: bool) -> None:
    here = (
        profile("Work"),
        profile("Linked", id=profile_id("mac_1", "claude", "/data/work"), account="acc_work"),
        profile("Home"),
    )
    found = first(agent("orchard", profile=folder), profiles=here)
    assert (found.rule != "account_unknown") is is_known


def test_agents_that_are_gone_are_no_matter() -> None:
    assert report(agent("old", "gone")).advice == ()


def test_unknown_windows_and_logins_that_have_ended() -> None:
    assert first(accounts=(LOW, account("Home", None))).rule == "no_target"
    out = (profile("Work"), profile("Home", login="out"))
    assert "Not Home: its login has ended." in first(profiles=out).sentences
    idle = (profile("Work"), profile("Home", login="idle"))
    assert first(profiles=idle).what == "move"


def test_a_hold_and_an_ended_turn() -> None:
    held = account("Work", 50, hold=Hold(until_ms=NOW + HOUR, why="Its limit is reached."))
    fault = FaultInfo(code="usage_limit", text="Wait.", since_ms=NOW)
    found = first(agent("orchard", profile=WORK.profile, fault=fault), accounts=(held, HOME))
    assert (found.what, found.rule) == ("move", "held")
    assert found.sentences[-1].startswith("Its last turn ended at the limit")
    assert first(accounts=(LOW, account("Home", hold=held.hold))).rule == "no_target"


def test_reserves_by_id_or_name() -> None:
    settings = Policy(reserves=("acc_work=20", "HOME=12.5"))
    assert [reserve_of(settings, one) for one in (LOW, HOME, account("Lab"))] == [20, 12.5, None]


def test_a_reserve_is_kept() -> None:
    found = first(accounts=(account("Work", 85, reserve_pct=20), HOME))
    assert (found.what, found.rule) == ("move", "reserve")
    assert first(accounts=(LOW, account("Home", 85, reserve_pct=20))).rule == "no_target"


@pytest.mark.parametrize(
    ("paid", "what", "price"),
    [
        (
            Paid(is_enabled=True, used_cents=4120, limit_cents=5000),
            "ask",
            "41.20 of a monthly limit of 50.00",
        ),
        (Paid(is_in_use=True, used_cents=7), "ask", "0.07 were spent"),
        (Paid(is_enabled=True), "ask", "is not known here"),
        (Paid(is_enabled=False), "stay", None),
        (Paid(), "stay", None),
        (None, "stay", None),
    ],
)
def test_paid_extra_usage(paid: Paid | None, what: str, price: str | None) -> None:
    found = first(accounts=(account("Work", 100, paid=paid),), profiles=(profile("Work"),))
    assert found.what == what
    assert (found.card is None) is (price is None)
    if found.card is not None:
        assert price is not None
        assert price in found.card.context
