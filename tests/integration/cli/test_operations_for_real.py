"""The commands that operate on agents, with a real ``controlroom up`` and scripted agents in real panes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from controlroom.testing.scripted.steps import Go, Hold, Say, Scene, Turn
from tests.e2e.support.house import PROGRAM, House, house_without_browser
from tests.support.waiting import until_now

NAME = "orchard"
SPOKEN = Scene(name=NAME, turns=(Turn(prompt="hello", steps=(Say(text="Hello."),)),))
WORKING = Scene(name=NAME, turns=(Turn(prompt="work", steps=(Hold(), Say(text="Done."))),))
WHY = "It has lost its way"


@pytest.fixture
def house() -> Iterator[House]:
    with house_without_browser() as house:
        yield house


class Ran(NamedTuple):
    status: int
    out: str
    err: str


def run(house: House, *arguments: str) -> Ran:
    """One command, to its end."""
    done = subprocess.run(
        [*PROGRAM, "--home", str(house.home), *arguments],
        env=house.desk.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def windows(house: House) -> list[str]:
    return house.desk.tmux("list-panes", "-a", "-F", "#{window_name}").split("\n")[:-1]


def log(house: House) -> list[Any]:
    return list(json.loads(run(house, "operations", "--json").out)["operations"])


def agent(house: House, name: str) -> Any:
    agents = house.ask("/fleet")["agents"]
    return next((one for one in agents if one["name"] == name), None)


def test_stop_undo_rename_and_the_log(house: House) -> None:
    house.add(SPOKEN)
    house.start()
    house.until_agent(NAME, "idle")
    first = agent(house, NAME)

    stopped = run(house, "stop", NAME, "--why", WHY)
    assert stopped.status == 0, stopped
    assert "✓ end the program" in stopped.out and "delivered" in stopped.out and "Undo until" in stopped.out
    house.until_agent(NAME, "gone")
    (operation,) = log(house)
    assert (operation["kind"], operation["state"], operation["why"], operation["by"]) == (
        "stop",
        "delivered",
        WHY,
        "host",
    )

    undone = run(house, "undo", operation["id"][:12], "--why", "It was needed")
    assert undone.status == 0, undone
    house.until_agent(NAME, "idle")
    back = agent(house, NAME)
    assert (back["id"], back["session_id"], back["chat_id"]) == (
        first["id"],
        first["session_id"],
        first["chat_id"],
    )
    again = run(house, "undo", operation["id"], "--why", "Once more")
    assert again.status == 1 and "taken back already" in again.err

    renamed = run(house, "rename", NAME, "pear tree", "--why", "There are two")
    assert renamed.status == 0, renamed
    house.until_agent("pear tree", "idle")
    assert windows(house) == ["pear tree"]
    shown = run(house, "operations").out
    for word in ("stop pear tree", "restart pear tree", "rename pear tree", f"Why: {WHY}", "Takes back:"):
        assert word in shown
    receipts = [(row["what"], row["code"]) for row in house.ask("/receipts")["receipts"]]
    assert receipts == [("stop", "ok")] * 2 + [("restart", "ok")] * 2 + [("rename", "ok")] * 2


def test_a_busy_agent_is_finished_or_dropped_as_the_person_chose(house: House) -> None:
    house.add(WORKING)
    house.start()
    house.until_agent(NAME, "working")
    refused = run(house, "restart", NAME, "--now", "--why", WHY)
    assert refused.status == 1
    assert "It would drop the running turn." in refused.out
    assert run(house, "restart", NAME, "--why", WHY, "--no-wait").status == 0

    def waits() -> bool:
        steps = log(house)[-1]["steps"]
        return bool(steps[0]["state"] == "running" and "works" in steps[0].get("detail", ""))

    until_now(waits, "it waits for the end of the turn")
    house.tell(NAME, Go())
    until_now(lambda: log(house)[-1]["state"] == "delivered", "it is restarted", within_s=60)
    house.until_agent(NAME, "idle")


def test_what_waits_is_taken_back(house: House) -> None:
    house.add(WORKING)
    house.start()
    house.until_agent(NAME, "working")
    run(house, "stop", NAME, "--why", WHY, "--no-wait")
    until_now(lambda: log(house)[-1]["state"] == "running", "its machine has it")
    taken_back = run(house, "undo", log(house)[-1]["id"], "--why", "Let it finish")
    assert taken_back.status == 0 and "It was taken back." in taken_back.out, taken_back
    assert agent(house, NAME)["activity"] == "working"


def test_why_is_required(house: House) -> None:
    house.add(SPOKEN)
    house.start()
    house.until_agent(NAME, "idle")
    for words in (("stop", NAME), ("rename", NAME, "pears"), ("undo", "op_1")):
        ran = run(house, *words)
        assert ran.status == 2 and "--why" in ran.err, ran
    assert log(house) == []


def test_a_start_that_cannot_be_is_said(house: House) -> None:
    house.add(SPOKEN)
    house.start()
    house.until_agent(NAME, "idle")
    ran = run(house, "start", "claude", "/no/such/folder", "--why", WHY)
    assert ran.status == 1 and "there is no such folder" in ran.out, ran


def test_a_closed_agent_comes_back_by_undo(house: House) -> None:
    house.add(SPOKEN)
    house.add(Scene(name="cellar"))
    house.start()
    house.until_agent(NAME, "idle")
    first = agent(house, NAME)
    closed = run(house, "close", NAME, "--why", "The project is done")
    assert closed.status == 0, closed
    until_now(lambda: agent(house, NAME) is None, "it has left the list")
    assert windows(house) == ["cellar"]
    undone = run(house, "undo", log(house)[-1]["id"], "--why", "It was not")
    assert undone.status == 0, undone
    back = house.until_agent(NAME, "idle")
    assert (back["id"], back["session_id"]) == (first["id"], first["session_id"])
    assert sorted(windows(house)) == ["cellar", NAME]
    house.kill()
    house.start()
    assert house.until_agent(NAME, "idle")["id"] == first["id"]
