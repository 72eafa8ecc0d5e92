"""Questions on the command line, with a real ``controlroom up`` and scripted agents in real panes."""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

from controlroom.testing.scripted.steps import Ask, Begin, Choice, Say, Scene, Turn
from tests.e2e.support.house import PROGRAM, House, house_without_browser
from tests.integration.cli.conftest import Ran
from tests.support.waiting import until_now

INVOICES = (
    "The new table is ready.\n\n"
    "Question for Founder: Shall the old invoices move too?\n"
    "- All of them: about 20 minutes\n"
    "- Only this year's: the old table stays (recommended)\n"
    "Default: I move only this year's by {by}\n"
    "Context: The new table is live since this morning."
)


def turn(said: str) -> Turn:
    return Turn(prompt="Please go on.", steps=(Say(text=said),))


@pytest.fixture
def house() -> Iterator[House]:
    with house_without_browser() as house:
        yield house


def ran(house: House, *arguments: str) -> Ran:
    """One command, whatever its end."""
    done = subprocess.run(
        [*PROGRAM, "--home", str(house.home), *arguments],
        env=house.desk.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def waiting(house: House, count: int = 1) -> list[Any]:
    """The open questions as soon as there are so many."""
    return until_now(
        lambda: (len(found := house.ask("/questions")["questions"]) == count and found) or [],
        f"{count} questions are open",
    )


def question_now(house: House, asked: str, state: str) -> Any:
    return until_now(
        lambda: (found := house.ask(f"/questions/{asked}"))["state"] == state and found, f"{asked} is {state}"
    )


def said_to(house: House, name: str) -> list[str]:
    """What stands in the agent's own file as the person's words."""
    (chat,) = [agent["chat_id"] for agent in house.ask("/fleet")["agents"] if agent["name"] == name]
    return [item["text"] for item in house.ask(f"/chats/{chat}/items")["items"] if item["kind"] == "user"]


def until_said(house: House, name: str, words: str) -> str:
    return until_now(
        lambda: next((said for said in said_to(house, name) if words in said), ""), f"{name} hears {words}"
    )


def test_a_block_is_answered_and_the_agent_hears_question_choice_and_note(house: House) -> None:
    house.add(Scene(name="orchard", turns=(turn(INVOICES.format(by="23:59")),)))
    house.start()
    (asked,) = waiting(house)
    shown = house.run("inbox")
    assert "Shall the old invoices move too?" in shown
    assert "Only this year's (recommended)" in shown
    assert "Default in " in shown
    done = ran(house, "answer", asked["id"][:8], "Only this year's", "--text", "Tell me when it is done.")
    assert (done.status, done.err) == (0, "")
    heard = until_said(house, "orchard", "Only this year's")
    assert "Shall the old invoices move too?" in heard
    assert "Tell me when it is done." in heard
    assert question_now(house, asked["id"], "answered")["answer"]["option"] == "2"
    late = ran(house, "answer", asked["id"], "1", "--json")
    assert (late.status, json.loads(late.err)["code"]) == (1, "conflict")
    assert house.run("inbox") == "Nothing waits for you.\n"
    assert "Answered by you" in house.run("inbox", "--all")
    assert len([said for said in said_to(house, "orchard") if "Only this year's" in said]) == 1


def test_a_picker_is_answered_in_its_dialog(house: House) -> None:
    fruit = Ask(
        header="Fruit",
        question="Which fruit first?",
        options=(Choice(label="Pears", description="They bruise"), Choice(label="Plums")),
    )
    house.add(Scene(name="orchard", turns=(Turn(prompt="Plan it.", steps=(fruit, Say(text="Good."))),)))
    house.start()
    (asked,) = waiting(house)
    assert (asked["source"], [one["label"] for one in asked["options"]]) == ("picker", ["Pears", "Plums"])
    done = ran(house, "answer", asked["id"], "Plums")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Answered “Plums”.")
    answered = question_now(house, asked["id"], "answered")
    assert (answered["answer"]["option"], answered["history"][-1]["by"]) == ("2", "host")
    assert "in the terminal" not in answered["history"][-1]["why"]
    house.until_agent("orchard", "idle")
    assert said_to(house, "orchard") == ["Plan it."]


def test_a_picker_that_was_left_comes_back_as_a_question(house: House) -> None:
    """Its dialog is gone, so the answer goes by a message: no card stays that nobody can answer."""
    fruit = Ask(
        header="Fruit", question="Which fruit first?", options=(Choice(label="Pears"), Choice(label="Plums"))
    )
    house.add(Scene(name="orchard", turns=(Turn(prompt="Plan it.", steps=(fruit, Say(text="Good."))),)))
    house.start()
    (asked,) = waiting(house)
    house.run("skip", asked["id"])
    until_said(house, "orchard", "no approval")
    house.until_agent("orchard", "idle")
    house.run("undo", asked["id"])
    (again,) = waiting(house)
    assert "waiting_id" not in again
    assert house.run("answer", asked["id"], "Plums", "--text", "The blue ones").startswith("Answered “Plums”")
    heard = until_said(house, "orchard", "The blue ones")
    assert heard.startswith('Answer to your question "Which fruit first?": Plums.')
    question_now(house, asked["id"], "answered")


def test_skip_dismiss_and_back(house: House) -> None:
    house.add(Scene(name="orchard", turns=(turn(INVOICES.format(by="23:59")),)))
    house.start()
    (asked,) = waiting(house)
    assert house.run("dismiss", asked["id"]).startswith("Dismissed")
    assert house.run("undo", asked["id"]).startswith("Open again")
    waiting(house)
    assert house.run("skip", asked["id"], "--why", "Not now").startswith("Skipped")
    assert "no approval" in until_said(house, "orchard", "Shall the old invoices move too?")
    states = [step["state"] for step in house.json("inbox", asked["id"])["history"]]
    assert states == ["open", "dismissed", "open", "skipped"]


def test_no_default_is_used_while_it_is_paused_and_a_late_one_once(house: House) -> None:
    house.add(Scene(name="orchard"))
    house.start()
    house.until_agent("orchard", "idle")
    house.run("pause", "--why", "On a plane")
    # Long enough for a busy machine to see it before its time is over: a default seen too late is never used.
    house.tell("orchard", Begin(turn=turn(INVOICES.format(by="15 seconds"))))
    (asked,) = waiting(house)
    until_now(lambda: "Default at" in house.run("inbox"), "it says that no clock runs")
    due_s = asked["default"]["due_at_ms"] / 1000
    until_now(lambda: time.time() > due_s, "its time is over")
    house.kill()
    house.start()
    assert house.run("inbox").startswith("The Control Room is paused.")
    assert house.json("inbox", asked["id"])["state"] == "open"
    house.run("resume")
    used = question_now(house, asked["id"], "default")
    assert used["history"][-1]["late"]
    heard = until_said(house, "orchard", "Use your default")
    assert "I move only this year's" in heard
    assert house.run("answer", asked["id"], "1").startswith("Answered “All of them”.")
    until_said(house, "orchard", "All of them")


def test_an_agent_asks_by_command_and_gets_the_answer_where_it_waits(house: House) -> None:
    house.add(Scene(name="first"))
    results = house.folder / "results"
    results.mkdir()
    ask = shlex.join(
        [*PROGRAM, "--home", str(house.home), "ask", "Which name?", "-o", "Orchard", "-o", "Plum", "--wait"]
    )
    waits = f"while [ ! -e {results}/go ]; do sleep 0.1; done"
    _pane_that_runs(
        house, "asker", f"{waits}; {ask} >{results}/out 2>{results}/err; echo $? >{results}/status"
    )
    house.start()
    asker = house.until_agent("asker", "idle")
    (results / "go").touch()
    (asked,) = waiting(house)
    assert (asked["agent_id"], asked["source"]) == (asker["id"], "command")
    house.run("answer", asked["id"], "Plum")
    until_now(lambda: (results / "status").exists() and (results / "status").read_text(), "it ended")
    assert (results / "out").read_text() == "Plum\n", (results / "err").read_text()
    assert (results / "status").read_text() == "0\n"
    taken = question_now(house, asked["id"], "answered")
    assert "undo_until_ms" not in taken
    assert said_to(house, "asker") == []


def test_asking_for_an_agent_and_leaving(house: House) -> None:
    house.add(Scene(name="orchard"))
    house.start()
    house.until_agent("orchard", "idle")
    words = (
        "ask",
        "Ship it?",
        "-o",
        "Yes",
        "-o",
        "No",
        "--agent",
        "orchard",
        "--id",
        "q_000000000001",
        "--wait",
    )
    left = ran(house, *words, "--timeout", "1")
    assert (left.status, left.out) == (10, "")
    house.run("answer", "q_0000", "Yes")
    again = ran(house, *words)
    assert (again.status, again.out) == (0, "Yes\n")
    assert "Ship it?" in until_said(house, "orchard", "Yes")
    refused = ran(house, "ask", "Whose?")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "--agent" in refused.err


def _pane_that_runs(house: House, name: str, command: str) -> None:
    """An agent in a pane in which a command of its own runs too."""
    scene = Scene(name=name)
    house.desk.add(scene)
    house.desk.tmux("set-window-option", "-t", f"desk:{name}", "remain-on-exit", "on")
    program = house.desk.tmux("display-message", "-p", "-t", f"desk:{name}", "#{pane_start_command}").strip()
    script = f"{{ {command}; }} & exec {shlex.join(shlex.split(program))}"
    house.desk.tmux("respawn-window", "-k", "-t", f"desk:{name}", "sh", "-c", script)
