"""A control room that is killed around an answer or a deadline: the agent hears of it once, whatever happens.

Killed with SIGKILL, as a power cut would: a real ``controlroom up``, scripted agents in real panes.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from controlroom.testing.scripted.steps import Begin, Go, Hold, Say, Scene, Turn
from tests.e2e.support.house import House, house_without_browser
from tests.support.waiting import until_now

NAME = "orchard"


def turn(said: str, *, then_works: bool = False) -> Turn:
    """A turn that ends in these words; or that goes on behind them until it may end."""
    steps = (Say(text=said), Hold(), Say(text="Done.")) if then_works else (Say(text=said),)
    return Turn(prompt="Please go on.", steps=steps)


def question(what: str, default: str = "I wait by 40 hours from now") -> str:
    return f"Question for Founder: Shall the {what} be picked?\n- Yes: today\n- No: later\nDefault: {default}"


@pytest.fixture
def house() -> Iterator[House]:
    with house_without_browser() as house:
        yield house


def card(house: House, what: str) -> Any:
    """The open card of a question."""

    def found() -> Any:
        open_ones = house.ask("/questions")["questions"]
        return next((one for one in open_ones if what in one["question"]), None)

    return until_now(found, f"a card about {what}", within_s=60)


def post(house: House, path: str, body: dict[str, str]) -> Any:
    """One request over the control room's own socket."""
    door = http.client.HTTPConnection("localhost", timeout=30)
    door.sock = socket.socket(socket.AF_UNIX)
    try:
        door.sock.connect(str(house.home / "control.sock"))
        door.request("POST", f"/api/v1{path}", json.dumps(body), {"Content-Type": "application/json"})
        return json.loads(door.getresponse().read())
    finally:
        door.close()


def answer(house: House, id: str) -> Any:
    return post(
        house, f"/questions/{id}/answer", {"request_id": f"req_{id}", "option": "1", "text": "gently"}
    )


def heard(house: House) -> list[str]:
    """What stands in the agent's own file as typed, from our messages."""
    found: list[str] = []
    for path in house.desk.config.rglob("*.jsonl"):
        for line in path.read_text().splitlines():
            row = json.loads(line)
            content = row.get("message", {}).get("content") if row.get("type") == "user" else None
            if isinstance(content, str) and "your question" in content:
                found.append(content)
    return found


def until_end(house: House, id: str) -> Any:
    """The question once nothing of it is under way."""

    def ended() -> Any:
        one = house.ask(f"/questions/{id}")
        delivery = (one.get("answer") or {}).get("delivery") or {}
        return one if delivery.get("state") in ("delivered", "unconfirmed", "failed") else None

    return until_now(ended, f"{id} has ended", within_s=60)


def test_killed_between_the_answer_and_its_typing(house: House) -> None:
    house.add(Scene(name=NAME, turns=(turn(question("pears"), then_works=True),)))
    house.start()
    asked = card(house, "pears")
    assert answer(house, asked["id"])["state"] == "answered"
    house.kill()
    assert heard(house) == [], "it works: nothing is typed"
    house.start()
    again = answer(house, asked["id"])
    assert (again["state"], len(again["history"])) == ("answered", 2), "the same request is the same answer"
    assert heard(house) == []
    house.tell(NAME, Go())
    ended = until_end(house, asked["id"])
    assert ended["answer"]["delivery"]["state"] == "delivered"
    assert heard(house) == ['Answer to your question "Shall the pears be picked?": Yes. Note: gently']
    house.kill()
    house.start()
    assert until_end(house, asked["id"])["answer"]["delivery"]["state"] == "delivered"
    assert len(heard(house)) == 1


@pytest.mark.parametrize("after_s", [0.0, 0.02, 0.1, 0.3, 0.8])
def test_killed_at_some_moment_around_the_answer(house: House, after_s: float) -> None:
    """Whenever it comes: the answer is lost with its request, or the agent hears it once."""
    house.add(Scene(name=NAME, turns=(turn(question("plums")),)))
    house.start()
    asked = card(house, "plums")
    told: list[Any] = []

    def ask() -> None:
        try:
            told.append(answer(house, asked["id"]))
        except (OSError, http.client.HTTPException, ValueError):
            told.append(None)

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(after_s)  # the moment of the kill is what is tried
    house.kill()
    asking.join()
    house.start()
    now = until_now(lambda: house.ask(f"/questions/{asked['id']}"))
    if told[0] is not None:
        assert now["state"] == "answered", "an answer that was accepted is not lost"
    answer(house, asked["id"])  # the client tries again with the same id
    ended = until_end(house, asked["id"])
    assert len(ended["history"]) == 2
    if ended["answer"]["delivery"]["state"] == "delivered":
        assert len(heard(house)) == 1
    else:
        assert ended["answer"]["delivery"]["state"] == "unconfirmed"
        assert len(heard(house)) <= 1


def test_killed_before_the_deadline_and_back_behind_it(house: House) -> None:
    house.add(Scene(name=NAME))
    house.start()
    house.until_agent(NAME, "idle")
    house.tell(NAME, Begin(turn=turn(question("apples", "I leave them by 15 seconds from now"))))
    asked = card(house, "apples")
    house.kill()
    until_now(lambda: time.time() * 1000 > asked["default"]["due_at_ms"], "its time is over")
    assert heard(house) == []
    house.start()
    closed = until_now(
        lambda: (one := house.ask(f"/questions/{asked['id']}"))["state"] == "default" and one, "the default"
    )
    assert (closed["history"][-1]["by"], closed["history"][-1]["late"]) == ("timer", True)
    until_now(lambda: heard(house), "the agent hears it")
    for _ in range(2):
        house.kill()
        house.start()
        house.until_agent(NAME, "idle")
    assert len(heard(house)) == 1
    assert house.receipts().count("default") == 1


def test_killed_between_the_deadline_and_its_typing(house: House) -> None:
    house.add(Scene(name=NAME))
    house.start()
    house.until_agent(NAME, "idle")
    text = question("quinces", "I leave them by 15 seconds from now")
    house.tell(NAME, Begin(turn=turn(text, then_works=True)))
    asked = card(house, "quinces")
    until_now(
        lambda: house.ask(f"/questions/{asked['id']}")["state"] == "default", "the default", within_s=60
    )
    house.kill()
    house.start()
    assert heard(house) == []
    house.tell(NAME, Go())
    until_now(lambda: heard(house), "the agent hears it", within_s=60)
    house.until_agent(NAME, "idle")
    (told,) = heard(house)
    assert told.startswith(
        'Nobody answered your question "Shall the quinces be picked?" until 15 seconds from now.'
    )
    assert "Use your default: I leave them." in told
