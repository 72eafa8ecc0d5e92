"""The commands against a hub: what they print, what they ask for, how they end."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import msgspec
import pytest

from controlroom.wire.client import AnswerDialog, Error, PressKeys, ScreenFrame, SendMessage
from controlroom.wire.model import Fleet, Health, Held, Item, Items, Screen, ScreenCursor
from tests.integration.cli.conftest import Cli
from tests.integration.cli.stub_hub import StubHub
from tests.unit.cli.agents import NOW, PERMISSION, agent, all_states, fleet, waiting

ORCHARD = agent("orchard", id="agt_1", chat_id="cht_1")
BLOCKED = agent("orchard", "blocked", id="agt_1", chat_id="cht_1", waiting_for=waiting(PERMISSION))
HELD = Held(code="working", text="Goes out when this turn ends.", since_ms=NOW)
SCREEN = Screen(
    revision="rev_1",
    width=20,
    height=3,
    cursor=ScreenCursor(row=0, column=0, visible=True),
    rows=("one", "two", ""),
    ansi=("\x1b[31mone\x1b[0m", "two", ""),
    at_ms=NOW,
)


def sent(hub: StubHub, call: str) -> bytes:
    (body,) = [body for name, body in hub.calls if name == call]
    assert isinstance(body, bytes)
    return body


# ---- reading -----------------------------------------------------------------------------------------------


def test_fleet_as_json_is_the_api_as_it_is(hub: StubHub, cli: Cli) -> None:
    hub.fleet = all_states()
    ran = cli("fleet", "--json")
    assert ran.status == 0
    assert msgspec.json.decode(ran.out, type=Fleet) == hub.fleet


def test_fleet_for_people(hub: StubHub, cli: Cli) -> None:
    hub.fleet = all_states()
    ran = cli("fleet", "--all")
    assert ran.status == 0
    assert ran.out.startswith("Control Room · 12 agents · 3 need you")
    assert "\x1b" not in ran.out


def test_status(hub: StubHub, cli: Cli) -> None:
    health = Health(code="disk", title="The disk is full", since_ms=NOW, do="Make room.")
    hub.status = msgspec.structs.replace(hub.status, health=(health,))
    assert json.loads(cli("status", "--json").out)["health"][0]["code"] == "disk"
    shown = cli("status").out
    assert "http://localhost:8767/app/" in shown
    assert "The disk is full" in shown
    assert "Make room." in shown


def test_chat(hub: StubHub, cli: Cli, home: Path) -> None:
    hub.fleet = fleet(ORCHARD)
    item = Item(id="i1", at_ms=NOW, kind="assistant", text="I will look.")
    hub.items["cht_1"] = Items(items=(item,), before="cur_0", after="cur_1", skipped=2)
    ran = cli("chat", "orchard")
    assert "I will look." in ran.out
    assert f" --home {home} chat orchard --before cur_0" in ran.out
    assert "2 damaged or unknown rows were left out." in ran.out
    assert json.loads(cli("chat", "orchard", "--json").out)["after"] == "cur_1"


def test_screen(hub: StubHub, cli: Cli) -> None:
    hub.fleet, hub.screen = fleet(ORCHARD), SCREEN
    assert cli("screen", "orchard").out == "one\ntwo\n"
    assert "\x1b[31mone" in cli("screen", "orchard", "--ansi").out
    assert json.loads(cli("screen", "orchard", "--json").out)["revision"] == "rev_1"


# ---- sending -----------------------------------------------------------------------------------------------


def test_send_says_where_the_message_stands(hub: StubHub, cli: Cli) -> None:
    hub.fleet = fleet(ORCHARD)
    hub.course = [{"held": HELD}]
    ran = cli("send", "orchard", "Go on", "--id", "msg_1")
    assert ran.status == 0
    assert ran.out == "Accepted. Goes out when this turn ends. (msg_1)\n"
    body = msgspec.json.decode(sent(hub, "POST /agents/agt_1/messages"), type=SendMessage)
    assert body == SendMessage(id="msg_1", text="Go on")


def test_send_passes_its_options_on(hub: StubHub, cli: Cli) -> None:
    hub.fleet = fleet(ORCHARD)
    assert cli("send", "orchard", "/compact", "--now", "--command", "--on-draft", "after").status == 0
    body = msgspec.json.decode(sent(hub, "POST /agents/agt_1/messages"), type=SendMessage)
    assert (body.when, body.send_as, body.on_draft) == ("now", "command", "after")


def test_send_wait_follows_to_the_end_and_says_why_it_waits(hub: StubHub, cli: Cli) -> None:
    hub.fleet = fleet(ORCHARD)
    hub.course = [{"held": HELD}, {}, {"state": "sending", "held": None}, {"state": "delivered"}]
    ran = cli("send", "orchard", "Go on", "--wait")
    assert ran.status == 0
    assert ran.out.splitlines() == [
        "Accepted. Goes out when this turn ends.",
        "Sending",
        "Delivered",
    ]


@pytest.mark.parametrize("state", ["unconfirmed", "failed"])
def test_send_wait_succeeds_only_when_delivered(hub: StubHub, cli: Cli, state: str) -> None:
    hub.fleet = fleet(ORCHARD)
    hub.course = [{}, {"state": state, "detail": "its composer still shows your text."}]
    ran = cli("send", "orchard", "Go on", "--wait", "--json")
    assert ran.status == 1
    assert json.loads(ran.out)["state"] == state


def test_send_wait_gives_up_after_its_time_and_loses_nothing(hub: StubHub, cli: Cli) -> None:
    hub.fleet = fleet(ORCHARD)
    ran = cli("send", "orchard", "Go on", "--wait", "--timeout", "0", "--id", "msg_1")
    assert ran.status == 1
    assert "It stays in the queue as msg_1" in ran.err


def test_send_reads_standard_input(hub: StubHub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.fleet = fleet(ORCHARD)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("two\nlines é\n".encode())))
    assert cli("send", "orchard", "-").status == 0
    assert b"two\\nlines \xc3\xa9\\n" in sent(hub, "POST /agents/agt_1/messages")


def test_an_empty_message_is_wrong_use(hub: StubHub, cli: Cli) -> None:
    ran = cli("send", "orchard", "  \n")
    assert (ran.status, ran.err) == (2, "controlroom: The message is empty.\n")
    assert hub.calls == []


# ---- answering ---------------------------------------------------------------------------------------------


def answers(hub: StubHub) -> list[AnswerDialog]:
    bodies = [body for name, body in hub.calls if name == "POST /agents/agt_1/answer"]
    return [msgspec.json.decode(body, type=AnswerDialog) for body in bodies]


def test_answer_without_an_option_shows_the_prompt_whole(hub: StubHub, cli: Cli, home: Path) -> None:
    hub.fleet = fleet(BLOCKED)
    ran = cli("answer", "orchard")
    assert ran.status == 0
    assert "python3 -c" in ran.out
    assert "(lasting or risky)" in ran.out
    assert f" --home {home} answer orchard 1\n" in ran.out
    assert answers(hub) == []
    assert json.loads(cli("answer", "orchard", "--json").out)["id"] == "dlg_1"


@pytest.mark.parametrize("said", ["3", "No", "no"])
def test_answer_names_the_prompt_that_was_seen(hub: StubHub, cli: Cli, said: str) -> None:
    hub.fleet = fleet(BLOCKED)
    cli("answer", "orchard")
    ran = cli("answer", "orchard", said)
    assert (ran.status, ran.out) == (0, "Answered “No”.\n")
    (answer,) = answers(hub)
    assert (answer.waiting_id, answer.option) == ("dlg_1", "3")


def test_a_prompt_that_changed_since_it_was_shown_is_not_answered(hub: StubHub, cli: Cli) -> None:
    """Field lesson 25."""
    hub.fleet = fleet(BLOCKED)
    cli("answer", "orchard")
    other = waiting("rm -r everything", id="dlg_2")
    hub.fleet = fleet(msgspec.structs.replace(BLOCKED, waiting_for=other))
    ran = cli("answer", "orchard", "1")
    assert ran.status == 1
    assert "rm -r everything" in ran.out
    assert ran.err.startswith("controlroom: The prompt changed. Nothing was sent.")
    assert answers(hub) == []
    assert cli("answer", "orchard", "1").status == 0


def test_a_prompt_named_by_id_must_be_the_one_that_is_open(hub: StubHub, cli: Cli) -> None:
    hub.fleet = fleet(BLOCKED)
    ran = cli("answer", "orchard", "1", "--waiting-id", "dlg_0", "--json")
    assert ran.status == 1
    assert json.loads(ran.err)["code"] == "changed"
    assert answers(hub) == []
    assert cli("answer", "orchard", "1", "--waiting-id", "dlg_1").status == 0


def test_what_is_risky_needs_more_than_its_number(hub: StubHub, cli: Cli) -> None:
    hub.fleet = fleet(BLOCKED)
    cli("answer", "orchard")
    ran = cli("answer", "orchard", "2")
    assert ran.status == 2
    assert "lasting or risky. Nothing was sent; add --yes" in ran.err
    assert answers(hub) == []
    assert cli("answer", "orchard", "2", "--yes").status == 0


def test_words_of_ones_own(hub: StubHub, cli: Cli) -> None:
    hub.fleet = fleet(BLOCKED)
    assert cli("answer", "orchard", "--text", "Use staging").status == 0
    (answer,) = answers(hub)
    assert (answer.option, answer.text) == (None, "Use staging")


def test_a_refusal_of_the_hub_is_said_and_keeps_its_code(hub: StubHub, cli: Cli) -> None:
    """Field lesson 26: the answer was not taken, and the person learns it."""
    hub.fleet = fleet(BLOCKED)
    hub.refusals["POST /agents/agt_1/answer"] = Error(code="changed", text="Another prompt is open by now.")
    ran = cli("answer", "orchard", "1", "--json")
    assert (ran.status, ran.out) == (1, "")
    assert json.loads(ran.err) == {"code": "changed", "text": "Another prompt is open by now."}


def test_an_agent_that_waits_at_nothing(hub: StubHub, cli: Cli) -> None:
    hub.fleet = fleet(ORCHARD)
    ran = cli("answer", "orchard", "1")
    assert (ran.status, ran.err) == (1, "controlroom: orchard waits at no prompt now. Nothing was sent.\n")


# ---- keys and interrupt ------------------------------------------------------------------------------------


def test_keys_are_checked_before_anything_is_asked(hub: StubHub, cli: Cli) -> None:
    ran = cli("keys", "orchard", "Escpe")
    assert ran.status == 2
    assert "There is no key 'Escpe'" in ran.err
    assert hub.calls == []


def test_keys(hub: StubHub, cli: Cli) -> None:
    hub.fleet = fleet(ORCHARD)
    assert cli("keys", "orchard", "Escape", "C-u").out == "Pressed Escape C-u in orchard.\n"
    pressed = msgspec.json.decode(sent(hub, "POST /agents/agt_1/keys"), type=PressKeys)
    assert (pressed.keys, pressed.seen_revision) == (("Escape", "C-u"), None)


def test_a_key_is_not_pressed_at_a_prompt_that_nobody_looked_at(hub: StubHub, cli: Cli) -> None:
    hub.fleet, hub.screen = fleet(BLOCKED), SCREEN
    ran = cli("keys", "orchard", "Enter")
    assert ran.status == 1
    assert "Nothing was pressed" in ran.err
    assert not [name for name, _ in hub.calls if name.endswith("/keys")]
    assert cli("keys", "orchard", "Enter", "--seen-revision", "rev_1").status == 0
    pressed = msgspec.json.decode(sent(hub, "POST /agents/agt_1/keys"), type=PressKeys)
    assert pressed.seen_revision == "rev_1"


def test_interrupt(hub: StubHub, cli: Cli) -> None:
    hub.fleet = fleet(ORCHARD)
    assert cli("interrupt", "orchard").out == "Interrupted orchard. The turn has ended.\n"


# ---- streams for scripts -----------------------------------------------------------------------------------


def lines_of(home: Path, *arguments: str) -> Generator[str, None, None]:
    """The lines that a command prints while the test goes on."""
    program = [sys.executable, "-m", "controlroom.cli.main", "--home", str(home), *arguments]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as stream:
        assert stream.stdout is not None
        try:
            yield from stream.stdout
        finally:
            stream.send_signal(signal.SIGINT)


def test_the_fleet_at_each_change(hub: StubHub, home: Path) -> None:
    hub.fleet = fleet(ORCHARD)
    lines = lines_of(home, "fleet", "--watch", "--json")
    assert json.loads(next(lines))["agents"][0]["activity"] == "idle"
    hub.change(msgspec.structs.replace(ORCHARD, activity="working"))
    assert json.loads(next(lines))["agents"][0]["activity"] == "working"
    lines.close()


def test_each_frame(hub: StubHub, home: Path) -> None:
    hub.fleet, hub.screen = fleet(ORCHARD), SCREEN
    lines = lines_of(home, "watch", "orchard", "--json")
    hub.on_watch = ScreenFrame(
        agent_id="agt_1", revision="r2", width=20, height=1, cursor=SCREEN.cursor, data="one"
    )
    assert json.loads(next(lines))["revision"] == "r2"
    lines.close()


def test_following_a_chat(hub: StubHub, home: Path) -> None:
    first = Item(id="i1", at_ms=NOW, kind="assistant", text="one")
    hub.fleet = fleet(ORCHARD)
    hub.items["cht_1"] = Items(items=(first,), before=None, after="c1", skipped=0)
    lines = lines_of(home, "chat", "orchard", "--follow", "--json")
    assert json.loads(next(lines))["text"] == "one"
    hub.add("cht_1", msgspec.structs.replace(first, id="i2", text="two"))
    assert json.loads(next(lines))["text"] == "two"
    lines.close()
