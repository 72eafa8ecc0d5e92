"""Messages, answers and interrupts through the driver, against a pane that behaves as the program does."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.core.delivery import Intent
from controlroom.core.dialogs import dialog_id
from controlroom.core.facts import Composer
from controlroom.kit.supervise import Tasks
from controlroom.node.agents.base import Outgoing, Sighting
from controlroom.node.agents.codex.evidence import Looker
from controlroom.node.agents.codex.finding import Finder
from controlroom.node.agents.codex.typed import TypedCodex
from tests.unit.node.agents.codex.desk import Desk, ScriptedCodex, process
from tests.unit.node.agents.codex.samples import drawn, session_id


class Log:
    def __init__(self) -> None:
        self.saved: list[Intent] = []

    async def save(self, intent: Intent) -> None:
        self.saved.append(intent)


class Room:
    """A driver, a desk, and Codex in a pane with a conversation so far."""

    def __init__(self, home: Path) -> None:
        self.desk = Desk(home)
        self.desk.codex()
        self.path = self.desk.put("11-07-12")
        self.codex = ScriptedCodex(self.desk, self.path)
        self.driver = self.desk.driver
        self.log = Log()

    async def who(self) -> Sighting:
        (found,) = (await self.driver.find()).sightings
        return found

    async def send(self, text: str, **more: object) -> object:
        message = Outgoing(id="msg_1", text=text, **more)  # type: ignore[arg-type]  # any field of a message
        return await self.driver.submit(await self.who(), message, self.log)

    def typed(self) -> TypedCodex:
        return TypedCodex(self.desk, Looker(self.desk, Finder(self.desk, Tasks("test"))))


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


# --- messages ---------------------------------------------------------------------------------------------


async def test_a_message_is_delivered_with_the_row_that_proves_it(room: Room) -> None:
    outcome = await room.driver.submit(await room.who(), Outgoing(id="m", text="water the beans"), room.log)
    assert outcome.state == "delivered"
    assert room.desk.pressed == ["paste:water the beans", "Enter"]
    items = (await room.driver.items(session_id(room.path), str(room.desk.home))).items
    (row,) = [one for one in items if one.id == outcome.item_id]
    assert (row.kind, row.text) == ("user", "water the beans")


async def test_what_would_be_a_command_is_typed_harmless(room: Room) -> None:
    await room.send("/quit")
    await room.send("!rm x")
    await room.send("see @x")
    assert [typed for typed in room.desk.pressed if typed != "Enter"] == [
        "paste: /quit",
        "paste: !rm x",
        "paste:see @x ",
    ]


async def test_an_old_version_never_gets_a_shell_line(room: Room) -> None:
    room.desk.show("old-0.60.1-idle-80x24")
    outcome = await room.driver.submit(await room.who(), Outgoing(id="m", text="\x1b !rm x"), room.log)
    assert (outcome.state, room.desk.pressed) == ("failed", [])


async def test_a_shell_line_waits_until_the_version_can_be_seen(room: Room) -> None:
    room.desk.show("exec-approval-80x24")
    outcome = await room.driver.submit(await room.who(), Outgoing(id="m", text="!rm x"), room.log)
    assert (outcome.state, room.desk.pressed) == ("held", [])


async def test_nothing_is_typed_while_a_turn_runs(room: Room) -> None:
    room.codex.row("task_started", turn_id="t")
    outcome = await room.driver.submit(await room.who(), Outgoing(id="m", text="more"), room.log)
    assert (outcome.state, outcome.code, room.desk.pressed) == ("held", "working", [])


async def test_now_goes_into_the_running_turn_and_says_so(room: Room) -> None:
    room.codex.row("task_started", turn_id="t")
    outcome = await room.driver.submit(await room.who(), Outgoing(id="m", text="more", when="now"), room.log)
    assert outcome.state == "delivered" and "cut its current answer off" in outcome.text


async def test_the_spinner_in_the_title_is_work_too(room: Room) -> None:
    room.codex.title = "⠸ sow | plants80"
    room.codex.draw()
    outcome = await room.driver.submit(await room.who(), Outgoing(id="m", text="more"), room.log)
    assert (outcome.state, outcome.code) == ("held", "working")


@pytest.mark.parametrize("screen", ["exec-approval-80x24", "rate-limit-warning-80x24", "trust-folder-80x24"])
async def test_nothing_is_typed_into_a_dialog(room: Room, screen: str) -> None:
    room.desk.show(screen)
    outcome = await room.driver.submit(await room.who(), Outgoing(id="m", text="more"), room.log)
    assert (outcome.state, room.desk.pressed, room.log.saved) == ("held", [], [])


async def test_a_draft_is_not_swept_along(room: Room) -> None:
    room.codex.draft = "half a thought"
    room.codex.draw()
    outcome = await room.driver.submit(await room.who(), Outgoing(id="m", text="more"), room.log)
    assert (outcome.state, outcome.code, room.desk.pressed) == ("held", "draft", [])


async def test_a_message_in_the_agents_own_queue_is_held_there(room: Room) -> None:
    room.codex.row("task_started", turn_id="t")
    room.codex.shows_queue = True
    outcome = await room.driver.submit(await room.who(), Outgoing(id="m", text="more", when="now"), room.log)
    assert (outcome.state, outcome.code) == ("held", "in_agents_queue")


async def test_a_message_whose_intent_is_stored_is_looked_for_and_not_typed_again(room: Room) -> None:
    first = await room.driver.submit(await room.who(), Outgoing(id="m", text="water"), room.log)
    room.desk.pressed.clear()
    again = await room.driver.submit(
        await room.who(), Outgoing(id="m", text="water", intent=room.log.saved[-1]), Log()
    )
    assert (again.state, again.item_id, room.desk.pressed) == ("delivered", first.item_id, [])


async def test_the_same_text_before_the_position_proves_nothing(room: Room) -> None:
    await room.send("water")
    room.codex.takes_enter = False
    outcome = await room.driver.submit(await room.who(), Outgoing(id="m2", text="water"), room.log)
    assert outcome.state == "unconfirmed"


async def test_the_first_message_is_found_in_the_file_that_it_makes(
    tmp_path: Path,
) -> None:
    desk, log = Desk(tmp_path), Log()
    desk.codex()
    id = "01a24000-2da6-7350-9a9f-ed920651468b"
    path = tmp_path / "sessions/2026/11/30" / f"rollout-2026-11-30T15-00-00-{id}.jsonl"
    path.parent.mkdir(parents=True)
    desk.machine.files[20] = [desk.lock(id)]
    codex = ScriptedCodex(desk, path)
    codex.title = "plants80"
    codex.draw()
    sends = codex.send

    def send() -> None:
        sends()
        desk.machine.files[20].append(str(path))

    codex.send = send  # type: ignore[method-assign]  # the file is opened with the first message
    (who,) = (await desk.driver.find()).sightings
    assert (who.session_id, (await desk.driver.items(id, who.profile)).items) == (id, ())
    desk.at_ms = 1_796_050_799_000  # the row that follows is of 15:00:00
    outcome = await desk.driver.submit(who, Outgoing(id="m", text="first words"), log)
    assert outcome.state == "delivered"


async def test_a_message_is_found_in_a_conversation_that_followed(room: Room) -> None:
    intent = Intent(
        session_id="another", position="12-abc@1796050799000", text="water", pasted=True, entered=1
    )
    message = Outgoing(id="m", text="water", intent=intent)
    lost = await room.driver.submit(await room.who(), message, Log())
    assert lost.state == "unconfirmed"
    room.codex.draft = "water"
    room.codex.react("Enter")
    assert (await room.driver.submit(await room.who(), message, Log())).state == "delivered"
    late = Outgoing(
        id="m",
        text="water",
        intent=Intent(session_id="x", position="@1796050900000", text="water", pasted=True),
    )
    assert (await room.driver.submit(await room.who(), late, Log())).state == "unconfirmed"


# --- what the composer holds ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "collapsed", "text", "holds"),
    [
        ("water the\nbeans", False, "water the beans", True),
        ("water the beans, draft", False, "water the beans", False),
        ("[Pasted Content 2000 chars]", True, "x" * 2000, True),
        ("[Pasted Content 2001 chars]", True, "x" * 2000, False),
        ("a draft\n[Pasted Content 2001 chars]", True, "a draft\n" + "x" * 2000, True),
        ("b draft\n[Pasted Content 2001 chars]", True, "a draft\n" + "x" * 2000, False),
        ("row 8\nrow 9", True, "row 7\nrow 8\nrow 9", True),
        ("row 8\nrow 9x", True, "row 7\nrow 8\nrow 9", False),
        ("", False, "water", False),
        ("", True, "water", False),
    ],
)
def test_the_composer_holds_the_whole_text_and_nothing_else(
    room: Room, shown: str, collapsed: bool, text: str, holds: bool
) -> None:
    assert room.typed().holds(Composer(shown, collapsed), text) is holds


# --- answers and interrupts -------------------------------------------------------------------------------


async def waiting(room: Room, screen: str) -> str:
    """The id of the dialog that stands on this screen."""
    room.desk.show(screen)
    who = await room.who()
    facts = await room.driver.facts(who)
    assert facts.screen is not None and facts.screen.value.dialog is not None
    return dialog_id(who.incarnation, facts.position, facts.screen.value.dialog)


def closes(room: Room, *keys: str) -> None:
    def react(typed: str) -> None:
        if typed in keys:
            room.codex.draw()

    room.desk.react = react


async def test_an_answer_presses_its_key_once(room: Room) -> None:
    id = await waiting(room, "exec-approval-80x24")
    closes(room, "1")
    assert (await room.driver.answer(await room.who(), id, "1", None)).state == "delivered"
    assert room.desk.pressed == ["1"]


async def test_an_answer_to_another_dialog_presses_nothing(room: Room) -> None:
    id = await waiting(room, "exec-approval-80x24")
    room.desk.show("patch-approval-80x24")
    answered = await room.driver.answer(await room.who(), id, "1", None)
    assert (answered.state, room.desk.pressed) == ("changed", [])


async def test_the_same_dialog_for_a_later_call_is_another_one(room: Room) -> None:
    id = await waiting(room, "exec-approval-80x24")
    room.codex.row("task_started", turn_id="t2")
    answered = await room.driver.answer(await room.who(), id, "1", None)
    assert (answered.state, room.desk.pressed) == ("changed", [])


async def test_an_answer_in_words_goes_into_the_notes(room: Room) -> None:
    id = await waiting(room, "question-second-of-two-100x30")
    typed: list[str] = []

    def react(key: str) -> None:
        typed.append(key)
        if key == "Tab":
            room.desk.show("question-notes-empty-100x30")
        elif key.startswith("paste:"):
            room.desk.show("question-notes-100x30")
        elif key == "Enter":
            room.codex.draw()

    room.desk.react = react
    answered = await room.driver.answer(await room.who(), id, "2", "a note")
    assert (answered.state, typed) == ("delivered", ["Down", "Tab", "paste:a note", "Enter"])


async def test_an_interrupt_ends_the_turn(room: Room) -> None:
    room.codex.row("task_started", turn_id="t")
    assert (await room.driver.interrupt(await room.who())).state == "delivered"
    assert room.desk.pressed == ["Escape"]


async def test_an_interrupt_presses_nothing_when_no_turn_runs_or_a_dialog_is_open(room: Room) -> None:
    assert (await room.driver.interrupt(await room.who())).state == "delivered"
    room.codex.row("task_started", turn_id="t")
    room.desk.show("exec-approval-80x24")
    assert (await room.driver.interrupt(await room.who())).state == "changed"
    assert room.desk.pressed == []


async def test_what_is_not_certain_is_not_called_idle(room: Room) -> None:
    room.desk.machine.files[20] = []
    room.desk.machine.add(process(20, 19, "codex", exe=""))
    for name in ("11-07-30", "11-07-59"):
        room.desk.put(name, open_in=None)
    room.desk.show(drawn(["x"]))
    assert (await room.who()).uncertain
    assert await room.typed().now(await room.who()) == "unknown"
