"""The picture of the fleet: what needs the person first, right at 80 columns, still while nothing changes."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlroom.cli import text
from controlroom.cli.fleet_view import FleetView, render_fleet
from controlroom.wire.model import Agent, Fleet
from tests.unit.cli.agents import DAY, HOUR, MIN, NOW, agent, all_states, fleet, last, machine, waiting

GOLDEN = Path(__file__).parent / "golden"
SGR = re.compile(r"\x1b\[[0-9;]*m")


def draw(shown: Fleet, **more: Any) -> list[str]:
    given: dict[str, Any] = {"now_ms": NOW, "width": 80}
    return render_fleet(shown, FleetView(**(given | more)))


@pytest.mark.parametrize(
    ("name", "view"),
    [
        ("fleet-80", {}),
        ("fleet-80x24", {"height": 24, "note": "14:09 · q leaves"}),
        ("fleet-80x12", {"height": 12, "note": "14:09 · q leaves"}),
        ("fleet-120", {"width": 120}),
        ("fleet-50", {"width": 50}),
        ("fleet-80-colour", {"colour": True}),
    ],
)
def test_golden(name: str, view: dict[str, Any]) -> None:
    """Change the golden file by hand, after looking at it in a terminal."""
    drawn = "\n".join(draw(all_states(), **view)) + "\n"
    assert drawn == (GOLDEN / f"{name}.txt").read_text()


def test_colour_changes_no_character() -> None:
    plain, coloured = draw(all_states()), draw(all_states(), colour=True)
    assert [SGR.sub("", entry) for entry in coloured] == plain


def order(shown: Fleet, **more: Any) -> list[str]:
    """The agents' names from top to bottom."""
    rows = [entry for entry in draw(shown, **more) if entry[:1] == " " and entry[1:2] not in (" ", "")]
    return [next(a.name for a in shown.agents if f"  {a.name} " in row) for row in rows]


def test_the_longest_waiting_comes_first() -> None:
    assert order(all_states())[:4] == ["printer", "labels", "orchard", "report"]


def test_order_does_not_depend_on_the_order_of_arrival() -> None:
    agents = list(all_states().agents)
    random.Random(7).shuffle(agents)
    assert draw(fleet(*agents)) == draw(all_states())


def test_nothing_moves_while_only_time_passes() -> None:
    assert order(all_states()) == order(all_states(), now_ms=NOW + 20 * MIN)


def test_an_unreachable_machine_has_its_own_group_at_the_end_and_is_never_lit() -> None:
    away = machine("attic-mini", id="mac_2", online=False, last_seen_ms=NOW - 41 * MIN)
    shown = fleet(
        agent("here", "idle"),
        agent("there", "blocked", waiting_for=waiting("Do you want to proceed?"), machine_id="mac_2"),
        machines=(machine(), away),
    )
    drawn = draw(shown)
    assert drawn[0].startswith("Control Room · 2 agents · nothing waits for you")
    assert "attic-mini is not reachable, seen 41 min ago" in drawn
    assert "\x1b[1;33m" not in "\n".join(draw(shown, colour=True))


def test_several_machines_are_named_in_the_rows() -> None:
    shown = fleet(agent("here"), machines=(machine(), machine("attic", id="mac_2")))
    assert "claude · build-box" in "\n".join(draw(shown))


def test_an_empty_fleet_says_how_to_begin() -> None:
    drawn = "\n".join(draw(fleet()))
    assert "No agents yet" in drawn
    assert "controlroom demo" in drawn


def test_archived_and_long_gone_agents_are_counted_not_shown() -> None:
    shown = fleet(agent("a", archived=True), agent("b", "gone", 2 * DAY), agent("c"))
    assert draw(shown)[-1] == "Not shown: 1 archived, 1 gone earlier (controlroom fleet --all)"
    assert len([x for x in draw(shown, everything=True) if "orchard · claude" in x]) == 3


def test_pinned_agents_lead_their_group() -> None:
    shown = fleet(agent("young", "working", MIN, pinned=True), agent("old", "working", HOUR))
    assert order(shown) == ["young", "old"]


def test_an_uncertain_mapping_is_marked() -> None:
    assert "mapping uncertain" in "\n".join(draw(fleet(agent("a", uncertain="two sessions fit"))))


def test_hostile_names_and_words_stay_in_their_row() -> None:
    shown = agent("evil\x1b[2J\nname", "idle", last=last("x\x1b]0;own\x07\r\ny"), folder="/tmp/\x1b[31mred")
    drawn = draw(fleet(shown))
    assert "\x1b" not in "".join(drawn)
    assert any("evil name" in entry and "/tmp/red" in entry for entry in drawn)
    assert len(drawn) == 5


words = st.text(alphabet=st.characters(codec="utf-8"), max_size=30)


@st.composite
def any_agent(make: Any) -> Agent:
    activity = make(st.sampled_from(["blocked", "question", "working", "helpers", "idle", "unknown", "gone"]))
    shown = agent(
        "x",
        activity,
        make(st.integers(-HOUR, 10 * DAY)),
        last=last(make(words)),
        unread=make(st.integers(0, 3)),
    )
    return msgspec.structs.replace(
        shown, name=make(words), folder=make(words), header=make(words), id=make(words)
    )


@settings(max_examples=30, deadline=None)
@given(st.lists(any_agent(), max_size=8), st.integers(20, 140), st.integers(3, 40))
def test_whatever_the_fleet_the_picture_fits(agents: list[Agent], width: int, height: int) -> None:
    drawn = draw(fleet(*agents), width=width, height=height)
    assert len(drawn) <= height
    assert all(text.cells(entry) <= width for entry in drawn)
    assert not any("\n" in entry or "\x1b" in entry for entry in drawn)
