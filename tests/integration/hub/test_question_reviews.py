"""The page that sends a dialog's answers: confirmed where it shows just what was chosen on cards."""

from __future__ import annotations

import msgspec
import pytest

from controlroom.hub import question_pickers
from controlroom.testing.fake_node import agent_state
from controlroom.wire.model import DialogOption, WaitingFor
from controlroom.wire.node import Act, ActResult, AnswerAct
from controlroom.wire.question import Question
from tests.integration.hub.conftest import House
from tests.integration.hub.question_house import Inbox, ready
from tests.support.waiting import until

SEND = "Send these answers to the agent?"


def page(id: str, text: str, *labels: str, multi: bool = False) -> WaitingFor:
    options = tuple(
        DialogOption(key=str(at), label=label, risky=False) for at, label in enumerate(labels, start=1)
    )
    return WaitingFor(
        id=id, kind="picker", text=text, since_ms=1, options=options, multi=multi, free_text=multi
    )


TOOLS = page(
    "wai_1", "Which tools?", "Ladder, tall", "Gloves", "Type something.", "Chat about this", multi=True
)


def review(answer: str) -> WaitingFor:
    text = f"Review your answers\n\n ● Which tools?\n   → {answer}"
    return page("wai_2", text, "Submit answers", "Cancel")


async def shows(house: House, waiting: WaitingFor) -> None:
    state = agent_state(activity="blocked")
    await house.node.put(msgspec.structs.replace(state, waiting_for=waiting))


async def answered(house: House, inbox: Inbox) -> Question:
    """Ladder and gloves were chosen on the card."""
    await shows(house, TOOLS)
    (card,) = await until(inbox.open)
    return await inbox.answer(card.id, ("1", "2"))


def pressed(house: House) -> list[tuple[str, str | None]]:
    return [(act.waiting_id, act.option) for act in house.node.asked if isinstance(act, AnswerAct)]


async def test_what_was_chosen_on_the_card_is_sent_without_another_word(house: House) -> None:
    inbox = await ready(house)
    card = await answered(house, inbox)
    await shows(house, review('"Ladder, tall", Gloves'))
    await until(lambda: ("wai_2", "1") in pressed(house), "it is confirmed")
    assert len(pressed(house)) == 2
    assert [one.id for one in (await inbox.all()).questions] == [card.id]
    assert [one.what for one in await inbox.receipts()].count("answer") >= 1


async def test_anything_else_on_the_page_is_a_question(house: House) -> None:
    inbox = await ready(house)
    await answered(house, inbox)
    await shows(house, review('"Ladder, tall"'))
    (card,) = await until(inbox.open)
    assert card.question == SEND and [one.label for one in card.options] == ["Submit answers", "Cancel"]
    assert len(pressed(house)) == 1


async def test_what_was_chosen_at_the_pane_is_not_sent_for_anybody(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_pickers, "TRY_S", 0.01)
    inbox = await ready(house)
    await shows(house, TOOLS)
    await until(inbox.open)
    await shows(house, review("Gloves"))
    await until_asks(inbox, SEND)
    assert pressed(house) == []


async def test_what_cannot_be_pressed_is_a_question(house: House) -> None:
    inbox = await ready(house)
    await answered(house, inbox)

    def refuse(act: Act) -> ActResult | None:
        return ActResult(code="changed", text="Another dialog is open.")

    house.node.refuse = refuse
    await shows(house, review('"Ladder, tall", Gloves'))
    await until_asks(inbox, SEND)


async def until_asks(inbox: Inbox, question: str) -> None:
    async def asks() -> bool:
        return question in [card.question for card in await inbox.open()]

    await until(asks, question)
