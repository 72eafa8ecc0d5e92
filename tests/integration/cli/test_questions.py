"""The commands of questions against a hub: what they print, what they ask for, how they end."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controlroom.wire.client import Error
from controlroom.wire.question import (
    AnswerQuestion,
    AskQuestion,
    CloseQuestion,
    QuestionAnswer,
    QuestionOption,
    Questions,
    SetPause,
)
from tests.integration.cli.conftest import Cli
from tests.integration.cli.stub_hub import StubHub
from tests.support.waiting import until_now
from tests.unit.cli.agents import NOW, agent, fleet
from tests.unit.cli.questions import closed, default, question

ORCHARD = agent("orchard", id="agt_1", chat_id="cht_1")
ID = "q_3fa9c1d2e3f4"
OTHER = "q_3fb0c1d2e3f4"


@pytest.fixture(autouse=True)
def _agents(hub: StubHub) -> None:
    hub.fleet = fleet(ORCHARD, agent("plum", id="agt_2"))


def sent(hub: StubHub, call: str, kind: Any) -> Any:
    (body,) = [body for name, body in hub.calls if name == call]
    return msgspec.json.decode(body, type=kind)


# ---- inbox -------------------------------------------------------------------------------------------------


def test_the_inbox_for_people_and_for_scripts(hub: StubHub, cli: Cli) -> None:
    hub.questions.add(question(default=default()), closed("skipped", "host", id=OTHER))
    ran = cli("inbox")
    assert ran.status == 0
    assert ran.out.startswith("1 question waits for you\n")
    assert "●? orchard" in ran.out
    assert " inbox q_3fa9\n" in ran.out
    assert "\x1b" not in ran.out
    found = msgspec.json.decode(cli("inbox", "--json").out, type=Questions)
    assert [one.id for one in found.questions] == [ID]


def test_nothing_waits(cli: Cli) -> None:
    assert cli("inbox").out == "Nothing waits for you.\n"
    assert cli("inbox", "--all").out == "No agent has asked anything yet.\n"


def test_the_history_with_an_older_page(hub: StubHub, cli: Cli) -> None:
    hub.questions.add(question(), closed("skipped", "host", id=OTHER))
    ran = cli("inbox", "--all", "--limit", "2")
    assert "Waits for you" in ran.out
    assert "Skipped by you" in ran.out
    assert ran.out.endswith(" inbox --all --before cur_1\n")


def test_the_questions_of_one_agent(hub: StubHub, cli: Cli) -> None:
    hub.questions.add(question(), question(id=OTHER, agent_id="agt_2"))
    found = json.loads(cli("inbox", "--agent", "plum", "--json").out)["questions"]
    assert [one["id"] for one in found] == [OTHER]
    assert cli("inbox", "--agent", "pear").status == 1


def test_one_question_whole(hub: StubHub, cli: Cli) -> None:
    hub.questions.add(question(context="pear " * 100))
    for said in (ID, "q_3fa9", "3fa"):
        assert cli("inbox", said).out.count("pear") == 100
    assert json.loads(cli("inbox", "q_3f", "--json").out)["id"] == ID


def test_ids_that_fit_several_or_none(hub: StubHub, cli: Cli) -> None:
    hub.questions.add(question(), question(id=OTHER))
    ran = cli("inbox", "q_3f")
    assert (ran.status, ran.err) == (2, f"controlroom: 'q_3f' fits several questions: {ID}, {OTHER}.\n")
    assert cli("skip", "q_").status == 2
    ran = cli("skip", "q_9")
    assert (ran.status, "There is no question 'q_9'" in ran.err) == (1, True)


def test_options_that_do_not_fit_each_other(cli: Cli) -> None:
    for words in (["q_3", "--all"], ["--limit", "3"], ["--before", "x"]):
        assert cli("inbox", *words).status == 2


def test_a_pause_is_said_in_the_inbox_and_the_status(hub: StubHub, cli: Cli) -> None:
    hub.questions.add(question(default=default()))
    assert "No default is used until: " in cli("pause", "--why", "On a plane").out
    assert sent(hub, "PUT /pause", SetPause).why == "On a plane"
    assert cli("inbox").out.startswith("The Control Room is paused.")
    assert "On a plane. Go on with: controlroom resume" in cli("status").out
    assert json.loads(cli("status", "--json").out)["paused"]["by"] == "host"
    assert json.loads(cli("resume", "--json").out) == {"paused": None}
    assert cli("resume").out.startswith("It goes on.")


def test_who_may_not_read_the_status_sees_the_questions(hub: StubHub, cli: Cli) -> None:
    """An agent in its pane."""
    hub.refusals["GET /status"] = Error(code="not_allowed", text="Agents may not do this.")
    hub.questions.add(question())
    assert cli("inbox").status == 0


# ---- answering ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("said", "key"), [("1", "1"), ("only this year's", "2")])
def test_an_answer_by_key_or_label(hub: StubHub, cli: Cli, said: str, key: str) -> None:
    hub.questions.add(question())
    ran = cli("answer", "q_3fa9", said, "--text", "Tell me then.")
    assert ran.status == 0
    assert ran.out.startswith("Answered “")
    assert f" undo {ID}\n" in ran.out
    answer = sent(hub, f"POST /questions/{ID}/answer", AnswerQuestion)
    assert (answer.option, answer.text) == (key, "Tell me then.")


def test_several_options_and_an_answer_in_words(hub: StubHub, cli: Cli) -> None:
    hub.questions.add(question(multi=True), question(id=OTHER))
    cli("answer", "q_3fa9", "1,2")
    assert sent(hub, f"POST /questions/{ID}/answer", AnswerQuestion).option == ("1", "2")
    ran = cli("answer", OTHER, "--text", "Ask the accountant")
    assert ran.out.startswith("Answered “Ask the accountant”.")
    assert sent(hub, f"POST /questions/{OTHER}/answer", AnswerQuestion).option is None


def test_without_an_option_the_question_is_shown_whole(hub: StubHub, cli: Cli) -> None:
    hub.questions.add(question())
    ran = cli("answer", "q_3fa9")
    assert "Shall the old invoices move too?" in ran.out
    assert f" answer {ID} 1\n" in ran.out
    assert not [name for name, _ in hub.calls if name.startswith("POST")]


@pytest.mark.parametrize("words", [["9"], ["--text", " "], ["1", "--waiting-id", "dlg_1"]])
def test_what_is_no_answer_is_not_sent(hub: StubHub, cli: Cli, words: list[str]) -> None:
    hub.questions.add(question())
    assert cli("answer", "q_3fa9", *words).status == 2
    assert not [name for name, _ in hub.calls if name.startswith("POST")]


@pytest.mark.parametrize("act", [["answer", ID, "1"], ["skip", ID], ["dismiss", ID]])
def test_who_comes_late_is_told_who_won(hub: StubHub, cli: Cli, act: list[str]) -> None:
    """Field lesson 28."""
    hub.questions.add(closed("answered", "device:1"))
    ran = cli(*act, "--json")
    assert (ran.status, ran.out) == (1, "")
    assert json.loads(ran.err) == {
        "code": "conflict",
        "text": "It was answered by you with My phone already.",
    }


def test_an_agents_name_never_stands_for_its_question(hub: StubHub, cli: Cli) -> None:
    hub.questions.add(question())
    ran = cli("answer", "orchard", "1")
    assert ran.status == 1
    assert "waits at no prompt now. Nothing was sent. It has a question: " in ran.err
    assert f" answer {ID}\n" in ran.err
    assert not [name for name, _ in hub.calls if name.startswith("POST")]
    hub.questions.add(question(id=OTHER))
    assert "It has 2 questions: " in cli("answer", "orchard", "1").err


# ---- skip, dismiss, undo, reopen ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("skip", "Skipped: “Shall the old invoices move too?”. The agent is told that nobody decided."),
        ("dismiss", "Dismissed: “Shall the old invoices move too?”. Nothing is typed."),
    ],
)
def test_closing_by_hand_and_taking_it_back(hub: StubHub, cli: Cli, act: str, said: str) -> None:
    hub.questions.add(question())
    ran = cli(act, "q_3fa9", "--why", "Ask me on Monday")
    assert ran.out.startswith(said)
    assert f" undo {ID}\n" in ran.out
    assert sent(hub, f"POST /questions/{ID}/{act}", CloseQuestion).why == "Ask me on Monday"
    assert cli("undo", ID).out == "Open again: “Shall the old invoices move too?”\n"
    assert json.loads(cli(act, ID, "--json").out)["history"][-1]["by"] == "host"


def test_reopen(hub: StubHub, cli: Cli) -> None:
    hub.questions.add(closed("default", "timer", reopenable=True))
    assert cli("reopen", "q_3fa9").out.startswith("Open again: ")


# ---- asking ------------------------------------------------------------------------------------------------


def test_a_question_by_command(hub: StubHub, cli: Cli) -> None:
    ran = cli(
        *("ask", "Ship it now?", "-o", "Yes: the shop is closed for a minute", "-o", "No (recommended)"),
        *(
            "--default",
            "No",
            "--by",
            "90 min",
            "--context",
            "It is Friday.",
            "--doc",
            "https://docs.example/x",
        ),
        *("--id", "q_1", "--agent", "orchard"),
    )
    assert (ran.status, ran.out) == (0, "q_1\n")
    assert sent(hub, "POST /questions", AskQuestion) == AskQuestion(
        id="q_1",
        question="Ship it now?",
        agent_id="agt_1",
        options=(
            QuestionOption(key="1", label="Yes", what="the shop is closed for a minute"),
            QuestionOption(key="2", label="No", recommended=True),
        ),
        default="No",
        by="90 min",
        context="It is Friday.",
        doc="https://docs.example/x",
    )


def test_whoever_asks_learns_what_they_may_not_expect(hub: StubHub, cli: Cli) -> None:
    asked = question(
        id="q_1", default=default("Yes", None, problem="“6” is not clear: write a time like 14:00.")
    )
    hub.questions.add(asked)
    ran = cli("ask", "Ship it?", "--default", "Yes", "--by", "6", "--id", "q_1")
    assert (ran.status, ran.out) == (0, "q_1\n")
    assert ran.err == "“6” is not clear: write a time like 14:00.\n"
    hub.questions.add(msgspec.structs.replace(asked, blocking=True, blocking_why="It costs money."))
    ran = cli("ask", "Ship it?", "--default", "Yes", "--by", "6", "--id", "q_1")
    assert ran.err == "Only the person may decide this. It costs money. Its default is not used.\n"
    assert cli("ask", "Ship it?", "--default", "Yes", "--by", "6", "--id", "q_1", "--json").err == ""


def test_a_question_of_the_agent_in_whose_pane_it_is_typed(hub: StubHub, cli: Cli) -> None:
    ran = cli("ask", "Ship it?", "--blocking", "--json")
    asked = sent(hub, "POST /questions", AskQuestion)
    assert (asked.agent_id, asked.blocking) == (None, True)
    assert asked.id.startswith("q_")
    assert json.loads(ran.out)["id"] == asked.id


def test_a_question_from_standard_input(hub: StubHub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Größer?\n".encode())))
    assert cli("ask", "-").status == 0
    assert sent(hub, "POST /questions", AskQuestion).question == "Größer?"


@pytest.mark.parametrize(
    "words",
    [
        [" "],
        ["Ship it?", "--timeout", "3"],
        ["Ship it?", "--by", "18:00"],
        ["Ship it?", "--multi", "-o", "Yes"],
        ["Ship it?", "-o", " "],
        ["Ship it?", "-o", "Yes: at once", "-o", "yes: later"],
    ],
)
def test_what_cannot_be_asked(hub: StubHub, cli: Cli, words: list[str]) -> None:
    assert cli("ask", *words).status == 2
    assert hub.calls == []


ANSWER = QuestionAnswer(by="host", at_ms=NOW, option="2", text="But tell me.\nTwice.")


@pytest.mark.parametrize(
    ("end", "status", "out", "err"),
    [
        ({"state": "answered", "answer": ANSWER}, 0, "No\nBut tell me.\nTwice.\n", ""),
        ({"state": "default"}, 4, "I wait\n", "Its time was over: use your default.\n"),
        ({"state": "skipped"}, 5, "", "Skipped: nobody decided, and this is no approval.\n"),
        ({"state": "dismissed"}, 6, "", "Dismissed by the agent.\n"),
        ({"state": "resolved"}, 7, "", "Resolved by the agent.\n"),
        ({"state": "superseded"}, 8, "", "Replaced by a newer question.\n"),
        ({"state": "expired"}, 9, "", "Expired.\n"),
    ],
)
def test_waiting_for_the_end_and_saying_it_by_the_exit_status(
    hub: StubHub, cli: Cli, end: dict[str, Any], status: int, out: str, err: str
) -> None:
    asked = ("ask", "Ship it?", "-o", "Yes", "-o", "No", "--default", "I wait", "--wait")
    hub.questions.course = [{}, end]
    ran = cli(*asked, "--id", "q_1")
    assert (ran.status, ran.out) == (status, out)
    assert ran.err == f"Asked as q_1. Waiting for the person.\n{err}"
    hub.questions.course = [end]
    ran = cli(*asked, "--id", "q_2", "--json")
    assert (ran.status, json.loads(ran.out)["state"], ran.err) == (status, end["state"], "")


def test_a_restart_of_the_control_room_ends_no_waiting(hub: StubHub, home: Path) -> None:
    words = ["--home", str(home), "ask", "Ship it?", "--wait", "--id", "q_1"]
    program = [sys.executable, "-m", "controlroom.cli.main", *words]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as asks:
        until_now(lambda: [name for name, _ in hub.calls if name == "GET /questions/q_1"], "it waits")
        hub.stop()
        hub.questions.known["q_1"] = question(id="q_1", state="answered", answer=ANSWER)
        hub.start()
        out, _ = asks.communicate(timeout=60)
    assert (asks.returncode, out) == (0, "Only this year's\nBut tell me.\nTwice.\n")


def test_waiting_no_longer_than_one_likes(hub: StubHub, cli: Cli) -> None:
    ran = cli("ask", "Ship it?", "--wait", "--timeout", "0", "--id", "q_1")
    assert (ran.status, ran.out) == (10, "")
    assert ran.err.endswith("Still open as q_1; the answer comes as a message.\n")
    hub.questions.known["q_1"] = closed("skipped", "host", id="q_1")
    assert cli("ask", "Ship it?", "--wait", "--id", "q_1").status == 5
