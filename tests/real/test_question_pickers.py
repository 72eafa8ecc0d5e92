"""Questions that real agents ask in dialogs of their own: cards, answered in the Inbox and at the pane."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from controlroom.client import Refused
from controlroom.testing.fake_anthropic import FakeAnthropic, Text, ToolUse
from controlroom.testing.fake_openai import Call, FakeOpenAI, Say
from controlroom.testing.model_script import TOOL_RESULT
from tests.real.conftest import Desk
from tests.real.support.claude import Claude
from tests.real.support.codex import Codex
from tests.real.support.inbox import Inbox
from tests.real.support.pane import HEARS_AFTER_S
from tests.real.support.room import Room
from tests.support.waiting import until

FRUIT = {
    "question": "Which fruit first?",
    "header": "Fruit",
    "multiSelect": False,
    "options": [
        {"label": "Apples, red: all of them (Recommended)", "description": "They fall already"},
        {"label": "Pears", "description": "Green: can wait"},
    ],
}
TOOLS = {
    "question": "Which tools?",
    "header": "Tools",
    "multiSelect": True,
    "options": [
        {"label": "Ladder, tall", "description": "Two metres"},
        {"label": "Basket", "description": "Wide"},
        {"label": "Gloves", "description": "Soft"},
    ],
}


@pytest.fixture
def inbox(room: Room) -> Inbox:
    return Inbox(room)


async def claude_asks(desk: Desk, model: FakeAnthropic, *questions: object) -> Claude:
    model.answer(ToolUse("AskUserQuestion", {"questions": list(questions)}), match="ask me")
    model.answer(Text("Thank you."), match=TOOL_RESULT)
    claude = await desk.claude()
    await claude.say("ask me")
    return claude


async def press(agent: Claude | Codex, key: str, shown: str) -> None:
    """Press a key at the pane once the dialog stands; its words may stay on the screen."""
    await agent.pane.until_text(shown)
    await asyncio.sleep(HEARS_AFTER_S)
    agent.pane.press(key)


def results(model: FakeAnthropic | FakeOpenAI) -> str:
    """What the tool told the model."""
    return "\n".join(request.text for request in model.requests if TOOL_RESULT in request.text)


async def test_one_choice(desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic) -> None:
    claude = await claude_asks(desk, claude_model, FRUIT)
    card = await inbox.until_asked("Which fruit first?")
    agent = await room.until_activity(claude.pane, "blocked")
    assert agent.waiting_for is not None
    assert (card.source, card.waiting_id, card.multi, card.free_text) == (
        "picker",
        agent.waiting_for.id,
        False,
        True,
    )
    assert [(one.label, one.what, one.recommended) for one in card.options] == [
        ("Apples, red: all of them", "They fall already", True),
        ("Pears", "Green: can wait", False),
    ]
    await room.run("answer", card.id, "Pears")
    await room.until_said(agent.id, "Thank you.")
    assert '"Pears"' in results(claude_model)
    answered = await inbox.until_closed(card.id, "answered")
    assert answered.answer is not None and answered.answer.option == "2"
    assert claude.typed() == ["ask me"]
    with pytest.raises(Refused) as late:
        await inbox.answer(card.id, "1")
    assert late.value.code == "conflict"


async def test_own_words(desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic) -> None:
    claude = await claude_asks(desk, claude_model, FRUIT)
    card = await inbox.until_asked("Which fruit first?")
    await inbox.answer(card.id, text="Quinces — 漢, but not “all”")
    await room.until_said(card.agent_id, "Thank you.")
    assert "Quinces — 漢, but not “all”" in results(claude_model)
    assert claude.typed() == ["ask me"]


async def test_several_choices(desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic) -> None:
    """The page that asks once more shows what was chosen, so nobody has to confirm it."""
    await claude_asks(desk, claude_model, TOOLS)
    card = await inbox.until_asked("Which tools?")
    assert card.multi
    await inbox.answer(card.id, ["Ladder, tall", "Gloves"])
    await room.until_said(card.agent_id, "Thank you.")
    told = results(claude_model)
    assert "Ladder, tall" in told and "Gloves" in told and "Basket" not in told
    assert [one.question for one in await inbox.all()] == ["Which tools?"]


async def test_several_questions_in_one_dialog(
    desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic
) -> None:
    await claude_asks(desk, claude_model, FRUIT, TOOLS)
    first = await inbox.until_asked("Which fruit first?")
    await inbox.answer(first.id, "1")
    second = await inbox.until_asked("Which tools?")
    await inbox.answer(second.id, "Basket", "and a rope, 20 m")
    await room.until_said(first.agent_id, "Thank you.")
    told = results(claude_model)
    assert "Apples, red: all of them (Recommended)" in told
    assert "Basket" in told and "and a rope, 20 m" in told
    assert [(card.question, card.state) for card in await inbox.all()] == [
        ("Which tools?", "answered"),
        ("Which fruit first?", "answered"),
    ]


async def test_partly_answered_at_the_pane_the_last_page_is_a_question(
    desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic
) -> None:
    """It shows something that nobody chose on a card."""
    claude = await claude_asks(desk, claude_model, FRUIT, TOOLS)
    first = await inbox.until_asked("Which fruit first?")
    await press(claude, "2", "Which fruit first?")
    second = await inbox.until_asked("Which tools?")
    await inbox.answer(second.id, "Basket")
    review = await inbox.until_asked("Send these answers to the agent?")
    assert "Pears" in (review.context or "")
    await inbox.answer(review.id, "Submit answers")
    await room.until_said(first.agent_id, "Thank you.")
    ended = await inbox.until_closed(first.id, "answered")
    assert ended.answer is not None and ended.answer.option == "2"


async def test_answered_at_the_pane(
    desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic
) -> None:
    claude = await claude_asks(desk, claude_model, FRUIT)
    card = await inbox.until_asked("Which fruit first?")
    await press(claude, "2", "Which fruit first?")
    answered = await inbox.until_closed(card.id, "answered")
    assert answered.answer is not None
    assert (answered.answer.option, answered.answer.by, answered.answer.delivery) == ("2", "host", None)
    await room.until_said(card.agent_id, "Thank you.")


async def test_several_answered_at_the_pane(
    desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic
) -> None:
    """Every page had its card, and each of them ends as it was answered."""
    claude = await claude_asks(
        desk, claude_model, FRUIT, {**FRUIT, "question": "Which then?", "header": "Then"}
    )
    first = await inbox.until_asked("Which fruit first?")
    await press(claude, "1", "Which fruit first?")
    second = await inbox.until_asked("Which then?")
    await press(claude, "2", "Which then?")
    review = await inbox.until_asked("Send these answers to the agent?")
    await press(claude, "1", "Review your answers")
    await room.until_said(first.agent_id, "Thank you.")
    ended = [await inbox.until_closed(card.id, "answered") for card in (first, second, review)]
    assert [card.answer and card.answer.option for card in ended] == ["1", "2", "1"]


async def test_several_chosen_at_the_pane(
    desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic
) -> None:
    """Labels with commas are told apart."""
    claude = await claude_asks(desk, claude_model, TOOLS)
    card = await inbox.until_asked("Which tools?")
    await press(claude, "1", "[ ] Ladder, tall")
    await press(claude, "3", "[✔] Ladder, tall")
    await press(claude, "Tab", "[✔] Gloves")
    await press(claude, "1", "Review your answers")
    answered = await inbox.until_closed(card.id, "answered")
    assert answered.answer is not None
    assert (answered.answer.option, answered.answer.text) == ("1, 3", None)


async def test_closed_at_the_pane(desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic) -> None:
    claude = await claude_asks(desk, claude_model, FRUIT)
    card = await inbox.until_asked("Which fruit first?")
    await press(claude, "Escape", "Which fruit first?")
    closed = await inbox.until_closed(card.id, "dismissed")
    assert closed.history[-1].why == "Closed in the terminal."
    assert closed.answer is None
    await room.until_activity(claude.pane, "idle")


async def test_skipped_it_is_no_approval(
    desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic
) -> None:
    claude = await claude_asks(desk, claude_model, FRUIT)
    claude_model.answer(Text("Then I wait."), match="this is no approval")
    card = await inbox.until_asked("Which fruit first?")
    await inbox.skip(card.id)
    await room.until_said(card.agent_id, "Then I wait.")
    assert (await inbox.until_closed(card.id, "skipped")).answer is None
    assert sum("this is no approval" in text for text in claude.typed()) == 1


async def test_the_control_room_was_away_while_it_was_answered(
    desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic
) -> None:
    claude = await claude_asks(desk, claude_model, FRUIT)
    card = await inbox.until_asked("Which fruit first?")
    await room.kill()
    await press(claude, "1", "Which fruit first?")
    await claude.pane.until_text("Thank you.")
    await room.start()
    answered = await inbox.until_closed(card.id, "answered")
    assert answered.answer is not None and answered.answer.option == "1"


async def test_killed_while_its_keys_are_pressed(
    desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic
) -> None:
    """Whether the control room wrote it down or not: afterwards the card says what was chosen."""
    claude = await claude_asks(desk, claude_model, FRUIT)
    card = await inbox.until_asked("Which fruit first?")
    await asyncio.sleep(HEARS_AFTER_S)
    answering = asyncio.create_task(inbox.answer(card.id, "2"))
    await claude.pane.until_text("Answered Claude's questions")
    await room.kill()
    await asyncio.gather(answering, return_exceptions=True)
    await room.start()
    answered = await inbox.until_closed(card.id, "answered")
    assert answered.answer is not None and answered.answer.option == "2"
    assert results(claude_model).count('"Pears"') == 1
    assert claude.typed() == ["ask me"]


# --- Codex ------------------------------------------------------------------------------------------------

BEDS = {
    "id": "bed",
    "header": "Bed",
    "question": "Which bed gets the beans?",
    "options": [
        {"label": "North bed (Recommended)", "description": "Morning sun."},
        {"label": "South bed, dry: really", "description": "Needs water: every day."},
    ],
}
HEADER, CHANGED, PLANS = ">_ OpenAI Codex", "for Plan mode.", "Plan mode (shift+tab"
PRESSES, KEY_S = 6, 15  # a key that was heard shows within seconds on any machine
WHEN = {
    "id": "when",
    "header": "When",
    "question": "When do we sow?",
    "options": [
        {"label": "Now", "description": "At once."},
        {"label": "Later", "description": "In May."},
    ],
}


async def codex_asks(desk: Desk, model: FakeOpenAI, *questions: object) -> Codex:
    model.answer(Call("request_user_input", {"questions": list(questions)}), match="ask me")
    model.answer(Say("Thank you."), match=TOOL_RESULT)
    codex = await desk.codex()
    await plan_mode(codex)
    await codex.say("ask me")
    return codex


async def plan_mode(codex: Codex) -> None:
    """Codex draws its composer before it hears keys, so one that changed nothing is pressed again. When its
    session begins after the key, it is in its usual mode again: the change then stands above its header."""

    def is_on() -> bool:
        screen = codex.pane.text()
        has_begun = -1 < screen.find(HEADER) < screen.rfind(CHANGED)
        return has_begun and PLANS in screen

    for _ in range(PRESSES):
        codex.pane.press("BTab")
        with contextlib.suppress(AssertionError):
            await until(is_on, "Codex is in plan mode", within_s=KEY_S)
            return
    raise AssertionError(f"Codex hears no key:\n{codex.pane.text()}")


async def test_codex_one_choice(desk: Desk, room: Room, inbox: Inbox, codex_model: FakeOpenAI) -> None:
    codex = await codex_asks(desk, codex_model, BEDS)
    card = await inbox.until_asked("Which bed gets the beans?")
    assert [(one.label, one.what, one.recommended) for one in card.options] == [
        ("North bed", "Morning sun.", True),
        ("South bed, dry: really", "Needs water: every day.", False),
        ("None of the above", "Something else: say it in your own words.", False),
    ]
    await room.run("answer", card.id, "2")
    await room.until_said(card.agent_id, "Thank you.")
    assert "South bed, dry: really" in results(codex_model)
    await inbox.until_closed(card.id, "answered")
    assert codex.typed() == ["ask me"]


async def test_codex_two_questions_with_a_note(
    desk: Desk, room: Room, inbox: Inbox, codex_model: FakeOpenAI
) -> None:
    await codex_asks(desk, codex_model, BEDS, WHEN)
    first = await inbox.until_asked("Which bed gets the beans?")
    assert first.context == "Question 1 of 2."
    await inbox.answer(first.id, "1", "both rows: “left” too")
    second = await inbox.until_asked("When do we sow?")
    await inbox.answer(second.id, "Later")
    await room.until_said(first.agent_id, "Thank you.")
    told = results(codex_model)
    assert "North bed (Recommended)" in told and "both rows" in told and "Later" in told
    assert {card.state for card in await inbox.all()} == {"answered"}


async def test_codex_answered_at_the_pane(
    desk: Desk, room: Room, inbox: Inbox, codex_model: FakeOpenAI
) -> None:
    codex = await codex_asks(desk, codex_model, BEDS)
    card = await inbox.until_asked("Which bed gets the beans?")
    await press(codex, "1", "enter to submit answer")
    answered = await inbox.until_closed(card.id, "answered")
    assert answered.answer is not None
    assert (answered.answer.option, answered.answer.by) == ("1", "host")


async def test_codex_closed_at_the_pane(
    desk: Desk, room: Room, inbox: Inbox, codex_model: FakeOpenAI
) -> None:
    codex = await codex_asks(desk, codex_model, BEDS)
    card = await inbox.until_asked("Which bed gets the beans?")
    await press(codex, "Escape", "enter to submit answer")
    closed = await inbox.until_closed(card.id, "dismissed")
    assert closed.answer is None


async def test_codex_skipped_it_is_no_approval(
    desk: Desk, room: Room, inbox: Inbox, codex_model: FakeOpenAI
) -> None:
    """It has no way out but "None of the above", so the note beside it says what that means."""
    await codex_asks(desk, codex_model, BEDS)
    card = await inbox.until_asked("Which bed gets the beans?")
    await inbox.skip(card.id)
    await room.until_said(card.agent_id, "Thank you.")
    told = results(codex_model)
    assert "None of the above" in told and "Nobody decided this, and it is no approval." in told
    assert (await inbox.until_closed(card.id, "skipped")).answer is None
