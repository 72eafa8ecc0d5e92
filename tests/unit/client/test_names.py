"""Finding the agent that a person means."""

from __future__ import annotations

import pytest

from controlroom.client import Refused, find_agent
from controlroom.wire.model import Activity, Agent, Evidence, Fleet, Machine


def agent(id: str, name: str, activity: Activity = "idle", archived: bool = False) -> Agent:
    return Agent(
        id=id,
        chat_id=f"cht_{id}",
        name=name,
        kind="claude",
        machine_id="mac_1",
        activity=activity,
        since_ms=0,
        evidence=Evidence(rule="r", source="s", detail="d", at_ms=0),
        helpers=0,
        unread=0,
        archived=archived,
        folder="/home/ada/shop",
    )


def fleet(*agents: Agent) -> Fleet:
    machine = Machine(
        id="mac_1", name="desk", primary=True, online=True, last_seen_ms=0, version="1", capabilities=()
    )
    return Fleet(seq=1, machines=(machine,), agents=agents)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("agt_1", "agt_1"),
        ("shop", "agt_1"),
        ("SHOP", "agt_1"),
        ("Docs", "agt_2"),
        ("docs", "agt_3"),
        ("old", "agt_4"),
    ],
)
def test_an_id_or_a_name_names_one_agent(text: str, found: str) -> None:
    agents = fleet(
        agent("agt_1", "shop"),
        agent("agt_5", "shop", activity="gone"),
        agent("agt_6", "shop", archived=True),
        agent("agt_2", "Docs"),
        agent("agt_3", "docs"),
        agent("agt_4", "old", activity="gone"),
    )
    assert find_agent(agents, text).id == found


def test_an_ambiguous_name_lists_the_candidates() -> None:
    with pytest.raises(Refused) as caught:
        find_agent(fleet(agent("agt_1", "shop"), agent("agt_2", "shop")), "shop")
    assert caught.value.code == "bad_request"
    assert "agt_1 (claude, /home/ada/shop)" in caught.value.text
    assert "agt_2" in caught.value.text


def test_an_unknown_name_is_not_found() -> None:
    with pytest.raises(Refused) as caught:
        find_agent(fleet(), "shop")
    assert caught.value.code == "not_found"
