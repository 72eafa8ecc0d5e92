"""AGENT on the command line: a name, an id, or the beginning of one; never a guess."""

from __future__ import annotations

import pytest

from controlroom.cli.errors import CliError
from controlroom.cli.find import pick
from controlroom.client import Refused
from tests.unit.cli.agents import agent, fleet

FLEET = fleet(
    agent("orchard-api", id="agt_aa01"),
    agent("orchard-web", id="agt_aa02"),
    agent("Sorter", id="agt_bb01"),
    agent("twin", id="agt_cc01"),
    agent("twin", id="agt_cc02", folder="/home/dev/work/other"),
    agent("left", "gone", id="agt_dd01"),
)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("orchard-api", "agt_aa01"),
        ("agt_aa02", "agt_aa02"),
        ("sorter", "agt_bb01"),
        ("orchard-w", "agt_aa02"),
        ("sort", "agt_bb01"),
        ("agt_bb", "agt_bb01"),
        ("left", "agt_dd01"),
    ],
)
def test_found(said: str, found: str) -> None:
    assert pick(FLEET, said).id == found


def test_a_name_of_several_lists_them_with_ids() -> None:
    with pytest.raises(Refused) as refused:
        pick(FLEET, "twin")
    assert refused.value.code == "bad_request"
    assert "agt_cc01" in refused.value.text
    assert "/home/dev/work/other" in refused.value.text


def test_a_beginning_of_several_lists_them() -> None:
    with pytest.raises(CliError, match="fits several agents: orchard-api, orchard-web") as refused:
        pick(FLEET, "orch")
    assert refused.value.status == 2


def test_a_wrong_name_suggests_near_ones() -> None:
    with pytest.raises(CliError, match="Did you mean orchard-api, orchard-web") as refused:
        pick(FLEET, "orchad-api")
    assert (refused.value.code, refused.value.status) == ("not_found", 1)


def test_a_name_like_none_lists_what_there_is() -> None:
    with pytest.raises(CliError, match=r"There are: orchard-api, .*twin \(agt_cc01\)"):
        pick(FLEET, "zzz")


def test_an_empty_fleet_says_how_to_begin() -> None:
    with pytest.raises(CliError, match="controlroom demo"):
        pick(fleet(), "orchard")


def test_a_hostile_name_is_shown_clean() -> None:
    with pytest.raises(CliError) as refused:
        pick(fleet(agent("a\x1b[2Jb")), "x\x1b[31m")
    assert "\x1b" not in refused.value.text
