"""``controlroom policy explain`` with a real ``controlroom up``: two config folders, what their status lines
said, and a scripted agent in a real pane."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support.accounts import begin_spent
from tests.e2e.support.house import House, house_without_browser
from tests.support.inotify import CHANGES, Watched
from tests.support.waiting import until_now


@pytest.fixture
def house() -> Iterator[House]:
    with house_without_browser() as house:
        yield house


def whats(house: House) -> list[str]:
    """What would be done with each agent."""
    return [one["what"] for one in house.ask("/policy")["advice"]]


def test_an_agent_on_a_spent_account_would_move_to_the_other_one(house: House) -> None:
    begin_spent(house)
    until_now(lambda: "move" in whats(house), "it would move", within_s=120)
    assert "orchard  would move" in house.run("policy", "explain", "orchard")
    (advice,) = house.json("policy", "explain")["advice"]
    profiles = {one["id"]: one["name"] for one in house.ask("/profiles")}
    assert (advice["rule"], advice["when"], profiles[advice["to_profile"]]) == ("week_low", "now", "spare")
    assert "2 % of the week is below the minimum of 3 %" in advice["why"]
    assert "@" not in advice["why"]


def test_it_is_moved_by_itself_and_stays_where_it_is_taken_back_to(house: House) -> None:
    work, spare = begin_spent(house, f"[policy]\nautomatic = [{json.dumps(socket.gethostname())}]\n")
    before = house.until_agent("orchard", "idle")
    logins = [folder / name for folder in (work, spare) for name in (".claude.json", ".credentials.json")]
    watched = Watched((work, spare))

    def is_in(folder: Path) -> Any:
        found = house.agents().get("orchard")
        return found if found and (found["profile"], found["activity"]) == (str(folder), "idle") else None

    after = until_now(lambda: is_in(spare), "it is in the other profile", within_s=120)
    assert [after[name] for name in ("id", "chat_id", "session_id")] == [
        before[name] for name in ("id", "chat_id", "session_id")
    ]

    def newest(kind: str) -> Any:
        found = house.json("operations")["operations"][-1]
        return found if (found["kind"], found["state"]) == (kind, "delivered") else None

    move = until_now(lambda: newest("move"), "the move is over", within_s=60)
    assert (move["by"], move["profile_name"]) == ("policy", "spare")
    assert "2 % of the week is below the minimum of 3 %" in move["why"]
    said = [(one["by"], one["text"]) for one in house.ask("/receipts")["receipts"] if one["what"] == "move"]
    assert [by for by, _ in said] == ["policy", "policy"]
    assert not any("@" in text for _, text in said)
    house.run("undo", move["id"], "--why", "It was fine there")
    assert is_in(work)
    assert "A move of the policy was taken back: it is left alone" in house.run(
        "policy", "explain", "orchard"
    )
    events = watched.taken()  # of every process on the machine, there and back
    watched.close()
    names = {login.name for login in logins}
    assert any(name == "projects" for _, name in events)  # its session went in, which proves the watch
    assert [event for event in events if event[1] in names and event[0] & CHANGES] == []
    assert sorted(path for path in house.folder.rglob("*") if path.name in names) == sorted(logins)
