"""Every recorded scenario is accounted for, and every difference is explained."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conformance.corrections import corrections_of
from tests.conformance.recording import FIXTURES, all_scenarios, load
from tests.conformance.scope import Fate, is_later, scope

DIFFERENCES = Path(__file__).parents[2] / "docs" / "reference" / "relay-differences.md"
KEPT = sorted(path.stem for path in FIXTURES.glob("*.jsonl"))


def explained() -> set[str]:
    """The names of the rows of the page."""
    return set(re.findall(r"^\| `([a-z-]+)` \|", DIFFERENCES.read_text(encoding="utf-8"), re.MULTILINE))


def differences_of(fate: Fate) -> set[str]:
    return set(fate["corrected"]) if isinstance(fate, dict) and "corrected" in fate else set()


def test_every_recorded_scenario_is_listed() -> None:
    assert {name: sorted(fates) for name, fates in scope().items()} == {
        name: sorted(scenarios) for name, scenarios in all_scenarios().items()
    }


@pytest.mark.parametrize("name", KEPT)
def test_the_kept_recordings_have_the_scenarios_that_are_listed(name: str) -> None:
    missing = set(all_scenarios()[name]) - set(load(name).scenarios)
    assert all(is_later(scope()[name][scenario]) for scenario in missing)


def test_every_fate_is_one_of_three_with_its_reason() -> None:
    for name, fates in scope().items():
        for scenario, fate in fates.items():
            if fate != "replayed":
                assert isinstance(fate, dict), (name, scenario)
                assert len(fate) == 1, (name, scenario)
                assert fate.get("later") or fate.get("corrected"), (name, scenario)


def test_what_is_not_kept_here_comes_later() -> None:
    for name, fates in scope().items():
        if name not in KEPT:
            assert all(map(is_later, fates.values())), name


@pytest.mark.parametrize("name", KEPT)
def test_scenarios_name_exactly_the_differences_that_they_show(name: str) -> None:
    shown: dict[str, set[str]] = {scenario: set() for scenario in scope()[name]}
    corrections = corrections_of(load(name))
    for line, scenario, _ in load(name).rows:
        if line in corrections and scenario in shown:
            shown[scenario].add(corrections[line].difference)
    for scenario, fate in scope()[name].items():
        if not is_later(fate):
            assert differences_of(fate) == shown[scenario], scenario


def test_every_difference_has_its_row_in_the_docs() -> None:
    named = {one for fates in scope().values() for fate in fates.values() for one in differences_of(fate)}
    assert named - explained() == set()
