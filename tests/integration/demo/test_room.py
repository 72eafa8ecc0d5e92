"""The whole path, from an agent's pane to the command line and back."""

from __future__ import annotations

import json
import os
import signal

from controlroom.testing.scripted.steps import (
    Ask,
    Begin,
    Choice,
    Go,
    Helper,
    HelperDone,
    Helpers,
    Hold,
    Limit,
    Say,
    Scene,
    Turn,
    Use,
)
from tests.integration.demo.room import PATIENCE_S, Room
from tests.support.waiting import until_now

REMOVE = Use(name="Bash", input={"command": "rm -r old", "description": "Remove the old files"}, ask=True)
FRUIT = Ask(header="Fruit", question="Which first?", options=(Choice(label="Pears"), Choice(label="Plums")))
HELPERS = Helpers(helpers=(Helper(kind="Explore", description="Count pears"),))


def scene(name: str, *steps: object, prompt: str = "Please begin.") -> Scene:
    turns = (Turn(prompt=prompt, steps=steps),) if steps else ()  # type: ignore[arg-type] # steps only
    return Scene(name=name, turns=turns)


def test_a_message_arrives_and_the_chat_shows_it(room: Room) -> None:
    room.desk.add(scene("orchard", Say(text="Ready.")))
    room.start()
    room.until("orchard", "idle")
    ran = room.run("send", "orchard", "--wait", "Good morning — 漢字\nsecond line")
    assert ran.endswith("Delivered\n")
    assert room.prompts("orchard") == ["Please begin.", "Good morning — 漢字\nsecond line"]
    until_now(lambda: "Understood: Good morning" in room.run("chat", "orchard"), within_s=PATIENCE_S)
    kinds = [item["kind"] for item in room.json("chat", "orchard")["items"]]
    assert kinds.count("user") == 2


def test_a_message_waits_for_the_turn_and_says_so(room: Room) -> None:
    room.desk.add(scene("orchard", Hold(), Say(text="Done.")))
    room.start()
    room.until("orchard", "working")
    room.until_held("orchard", "Next, please.", "msg_waits", "working")
    assert room.prompts("orchard") == ["Please begin."]
    room.desk.tell("orchard", Go())
    ran = room.run("send", "orchard", "Next, please.", "--id", "msg_waits", "--wait")
    assert ran.endswith("Delivered\n")
    assert room.prompts("orchard") == ["Please begin.", "Next, please."]


def test_a_draft_in_the_agents_input_line_is_never_swept_along(room: Room) -> None:
    """Field lesson 24."""
    room.desk.add(scene("orchard", Say(text="Ready.")))
    room.start()
    room.until("orchard", "idle")
    room.desk.tmux("send-keys", "-t", "desk:orchard", "-l", "HALF DRAFT")
    until_now(lambda: any("HALF DRAFT" in row for row in room.desk.screen("orchard")))
    room.until_held("orchard", "ours", "msg_ours", "draft")
    room.desk.tmux("send-keys", "-t", "desk:orchard", "C-u")
    until_now(lambda: room.prompts("orchard") == ["Please begin.", "ours"], within_s=PATIENCE_S)


def test_a_permission_is_shown_whole_and_answered(room: Room) -> None:
    room.desk.add(scene("orchard", REMOVE, Say(text="Removed.")))
    room.start()
    blocked = room.until("orchard", "blocked")
    assert blocked.waiting_for is not None
    assert blocked.waiting_for.kind == "permission"
    assert "rm -r old" in blocked.waiting_for.text
    shown = room.run("answer", "orchard")
    assert "Do you want to proceed?" in shown
    assert "don't ask again for: rm commands in" in shown
    assert "(lasting or risky)" in shown
    room.run("answer", "orchard", "Yes", "--waiting-id", blocked.waiting_for.id)
    room.until("orchard", "idle")
    assert "✓ Bash: rm -r old" in room.run("chat", "orchard")


def test_the_next_prompt_is_another_one(room: Room) -> None:
    room.desk.add(scene("orchard", REMOVE, REMOVE, Say(text="Removed.")))
    room.start()
    first = room.until("orchard", "blocked").waiting_for
    assert first is not None
    room.run("answer", "orchard", "1", "--waiting-id", first.id)

    def other() -> bool:
        agent = room.agent("orchard")
        return bool(agent and agent.waiting_for and agent.waiting_for.id != first.id)

    until_now(other, "a prompt with another id", PATIENCE_S)
    late = room.run("answer", "orchard", "1", "--waiting-id", first.id, status=1)
    assert "The prompt changed. Nothing was sent." in late


def test_a_picker_takes_words(room: Room) -> None:
    room.desk.add(scene("orchard", FRUIT, Say(text="Thanks.")))
    room.start()
    picker = room.until("orchard", "blocked").waiting_for
    assert picker is not None
    assert picker.kind == "picker"
    room.run("answer", "orchard", "--text", "Cherries first", "--waiting-id", picker.id)
    room.until("orchard", "idle")
    assert "Cherries first" in room.transcript("orchard").read_text()


def test_no_message_is_typed_into_a_prompt(room: Room) -> None:
    """Field lesson 25."""
    room.desk.add(scene("orchard", REMOVE, Say(text="Removed.")))
    room.start()
    blocked = room.until("orchard", "blocked")
    room.until_held("orchard", "1", "msg_one", "dialog")
    still = room.until("orchard", "blocked")
    assert still.waiting_for == blocked.waiting_for
    refused = room.run("keys", "orchard", "Enter", status=1)
    assert "Nothing was pressed" in refused


def test_a_question_block_is_a_question_for_the_person(room: Room) -> None:
    asked = "Ready.\n\nQuestion for Founder: Ship it?\n- Yes: today\n- No: later\nBlocking: yes"
    room.desk.add(scene("orchard", Say(text=asked)))
    room.start()
    room.until("orchard", "question")
    shown = room.run("fleet")
    assert "Question for you" in shown
    assert "Ship it?" in shown


def test_helpers_keep_an_agent_busy_until_the_last_one_ends(room: Room) -> None:
    room.desk.add(scene("orchard", HELPERS, Say(text="They count.")))
    room.start()
    waiting = room.until("orchard", "helpers")
    assert waiting.helpers == 1
    room.desk.tell("orchard", HelperDone(description="Count pears", result="12 pears"))
    room.until("orchard", "idle")
    assert room.prompts("orchard") == ["Please begin."]  # the helper's note is nobody's words


def test_waiting_for_a_usage_limit_is_not_blocked(room: Room) -> None:
    """Field lesson 16."""
    room.desk.add(scene("orchard", Limit()))
    room.start()
    assert room.until("orchard", "idle").waiting_for is None


def test_an_interrupt_ends_the_turn(room: Room) -> None:
    room.desk.add(scene("orchard", Hold(), Say(text="Never said.")))
    room.start()
    room.until("orchard", "working")
    room.run("interrupt", "orchard")
    room.until("orchard", "idle")
    assert "[Request interrupted by user]" in room.transcript("orchard").read_text()


def test_agents_appear_and_leave_while_it_runs(room: Room) -> None:
    room.desk.add(scene("first"))
    room.start()
    room.until("first", "idle")
    room.desk.add(scene("second", Hold()))
    room.until("second", "working")
    room.desk.tmux("send-keys", "-t", "desk:first", "-l", "/exit")
    room.desk.tmux("send-keys", "-t", "desk:first", "Enter")
    room.until("first", "gone")
    assert room.until("second", "working")


def test_a_suspended_agent_is_a_fault_and_goes_on_where_it_was(room: Room) -> None:
    """Ctrl-Z in the middle of a turn: its registry says busy for as long as it sleeps."""
    room.desk.add(scene("orchard", Hold(), Say(text="Done.")), in_shell=True)
    room.start()
    room.until("orchard", "working")
    [registered] = (room.desk.config / "sessions").glob("*.json")
    os.kill(int(registered.stem), signal.SIGSTOP)
    agent = room.until("orchard", "unknown")
    assert agent.fault is not None and agent.was is not None
    assert (agent.fault.code, agent.was.activity) == ("suspended", "working")
    os.kill(int(registered.stem), signal.SIGCONT)
    assert room.until("orchard", "working").fault is None
    room.desk.tell("orchard", Go())
    room.until("orchard", "idle")


def test_a_killed_agent_is_a_fault_not_working_for_ever(room: Room) -> None:
    """Field lesson 15."""
    room.desk.add(scene("orchard", Hold()))
    room.desk.add(scene("other"))
    room.start()
    room.until("orchard", "working")
    os.kill(room.pid("orchard"), signal.SIGKILL)
    gone = room.until("orchard", "gone")
    assert gone.fault is not None
    assert gone.fault.code == "crashed"


def test_the_screen_is_the_panes_own(room: Room) -> None:
    room.desk.add(scene("orchard", Say(text="On the screen.")))
    room.start()
    room.until("orchard", "idle")
    screen = room.json("screen", "orchard")
    assert (screen["width"], screen["height"]) == (100, 30)
    shown = [row.rstrip() for row in room.desk.screen("orchard")]
    assert [row.rstrip() for row in screen["rows"]] == shown[: screen["height"]]
    assert "● On the screen." in room.run("screen", "orchard")


def test_a_killed_control_room_loses_nothing_and_types_nothing_twice(room: Room) -> None:
    room.desk.add(scene("orchard", Hold(), Say(text="Done.")))
    room.start()
    room.until("orchard", "working")
    room.run("send", "orchard", "kept", "--id", "msg_kept")
    room.end(signal.SIGKILL)
    room.desk.tell("orchard", Go())
    room.start()
    assert room.run("send", "orchard", "kept", "--id", "msg_kept", "--wait").endswith("Delivered\n")
    assert room.prompts("orchard") == ["Please begin.", "kept"]


def test_a_cleared_session_is_a_new_chat_of_the_same_agent_and_the_old_one_stays_readable(room: Room) -> None:
    room.desk.add(scene("orchard", Say(text="Ready.")))
    room.start()
    before = room.until("orchard", "idle")
    assert room.run("send", "orchard", "/clear", "--command", "--wait").endswith("Delivered\n")
    room.run("send", "orchard", "In the new one.", "--wait")
    after = room.until("orchard", "idle")
    assert (after.id, after.chat_id != before.chat_id) == (before.id, True)
    assert room.prompts("orchard") == ["In the new one."]
    old = room.ask(lambda hub: hub.items(before.chat_id))
    assert [item.text for item in old.items if item.kind == "assistant"] == ["Ready."]


def test_a_second_control_room_on_the_same_folder_is_refused(room: Room) -> None:
    room.desk.add(scene("orchard"))
    room.start()
    second = room.run("up", "--port", "0", status=1)
    assert "A control room already runs on" in second
    assert room.json("status")["agents"] >= 0


def test_doctor_finds_nothing_wrong_here(room: Room) -> None:
    room.desk.add(scene("orchard"))
    room.start()
    room.until("orchard", "idle")
    found = json.loads(room.run("doctor", "--json"))
    assert {check["state"] for check in found} <= {"ok", "note"}
    names = {check["name"] for check in found}
    assert {"tmux servers", "control room", "database", "agents' folders"} <= names


def test_a_turn_that_begins_by_itself_is_seen(room: Room) -> None:
    room.desk.add(scene("orchard"))
    room.start()
    room.until("orchard", "idle")
    room.desk.tell("orchard", Begin(turn=Turn(prompt="Count.", steps=(Hold(), Say(text="Status: counting")))))
    room.until("orchard", "working")
    room.desk.tell("orchard", Go())
    assert room.until("orchard", "idle").header == "counting"
