"""Questions by command, policy, and the dialogs in which agents ask something."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from controlroom.hub import question_pickers, question_steps
from controlroom.testing.fake_node import agent_state
from controlroom.wire.codec import decode
from controlroom.wire.model import DialogOption, Item, Tool, WaitingFor
from controlroom.wire.node import Act, ActResult, AnswerAct
from controlroom.wire.question import AskQuestion, Question, QuestionOption
from tests.integration.hub.conftest import House
from tests.integration.hub.question_house import BLOCKING, Inbox, Refused, ready
from tests.support.waiting import until

ASK = AskQuestion(
    id="q_mine",
    question="Ship the plums?",
    options=(QuestionOption(key="1", label="Yes"), QuestionOption(key="2", label="No")),
    default="I ship them",
    by="2 hours from now",
    context="They are ripe.",
)


async def file(inbox: Inbox, ask: AskQuestion = ASK) -> Question:
    return decode(await inbox.call("POST", "/questions", ask), Question)


async def test_an_agent_asks_by_command_and_is_typed_the_answer(house: House) -> None:
    inbox = await ready(house)
    house.callers.agent = "agt_1"
    for _ in range(2):
        asked = await file(inbox)
    assert (asked.agent_id, asked.chat_id, asked.source) == ("agt_1", "cht_1", "command")
    assert asked.default is not None and asked.default.due_at_ms == asked.asked_at_ms + 2 * 3600_000
    with pytest.raises(Refused, match="only the person") as caught:
        await inbox.answer(asked.id, "1")
    assert caught.value.code == "not_allowed"
    house.callers.agent = None
    await inbox.answer(asked.id, "1")
    assert (await inbox.taken("q_mine:1")).text == 'Answer to your question "Ship the plums?": Yes'


async def test_a_command_that_waits_is_given_the_answer_and_nothing_is_typed(house: House) -> None:
    inbox = await ready(house)
    house.callers.agent = "agt_1"
    await file(inbox)
    waiting = asyncio.create_task(inbox.get("q_mine", wait=25))
    await until(lambda: house.hub._questions._waits._askers["q_mine"] == 1)
    house.callers.agent = None
    assert (await inbox.answer("q_mine", "2", "not yet")).state == "answered"
    assert (await waiting).state == "answered"
    house.callers.agent = "agt_1"
    got = await inbox.get("q_mine")
    assert got.answer is not None and got.answer.delivery is not None
    assert (got.answer.option, got.answer.text, got.answer.delivery.state) == ("2", "not yet", "delivered")
    assert (await inbox.get("q_mine")).undo_until_ms is None
    assert inbox.sent == []


@pytest.mark.parametrize("is_told", [False, True])
async def test_an_answer_that_no_command_reads_is_typed_after_all(
    house: House, monkeypatch: pytest.MonkeyPatch, is_told: bool
) -> None:
    """The command was killed before the answer, or while it was being told."""
    monkeypatch.setattr(question_steps, "HAND_MS", 100)
    inbox = await ready(house)
    house.callers.agent = "agt_1"
    await file(inbox)
    waiting = asyncio.create_task(inbox.get("q_mine", wait=25 if is_told else 1))
    if is_told:
        await until(lambda: house.hub._questions._waits._askers["q_mine"] == 1)
    else:
        await waiting
    house.callers.agent = None
    await inbox.answer("q_mine", "1")
    await waiting
    await inbox.taken("q_mine:1")


async def test_an_answer_that_waits_to_be_fetched_is_taken_back_at_once(house: House) -> None:
    inbox = await ready(house)
    house.callers.agent = "agt_1"
    await file(inbox)
    await inbox.get("q_mine", wait=1)
    house.callers.agent = None
    await inbox.answer("q_mine", "1")
    assert (await inbox.close("q_mine", "undo")).state == "open"
    await inbox.close("q_mine", "dismiss")
    assert inbox.sent == []


@pytest.mark.parametrize(
    ("change", "agent", "code"),
    [
        ({"agent_id": "agt_2"}, "agt_1", "not_allowed"),
        ({}, None, "bad_request"),
        ({"agent_id": "agt_9"}, None, "not_found"),
        ({"id": "msg_1"}, "agt_1", "bad_request"),
        ({"id": "q_a:1"}, "agt_1", "bad_request"),
        ({"question": " "}, "agt_1", "bad_request"),
        ({"question": "x" * 3000}, "agt_1", "too_large"),
        ({"options": (QuestionOption(key="1", label="x" * 1_000_000),)}, "agt_1", "too_large"),
        ({"options": (QuestionOption(key="1", label="a"),) * 51}, "agt_1", "too_large"),
        ({"options": (QuestionOption(key="1", label=" "),)}, "agt_1", "bad_request"),
        ({"options": (), "multi": True}, "agt_1", "bad_request"),
    ],
)
async def test_a_question_that_cannot_be_is_refused(
    house: House, change: dict[str, object], agent: str | None, code: str
) -> None:
    inbox = await ready(house)
    house.callers.agent = agent
    with pytest.raises(Refused) as caught:
        await file(inbox, msgspec.structs.replace(ASK, **change))
    assert caught.value.code == code
    assert (await inbox.all()).questions == ()


async def test_options_get_keys_of_their_own_and_several_can_be_chosen(house: House) -> None:
    inbox = await ready(house)
    options = tuple(QuestionOption(key="same, key", label=label) for label in ("Pears", "Plums", "Apples"))
    ask = msgspec.structs.replace(ASK, options=options, multi=True, agent_id="agt_1")
    asked = await file(inbox, ask)
    assert asked.history[0].by == "host"
    assert [one.key for one in asked.options] == ["1", "2", "3"]
    answered = await inbox.answer(asked.id, ("Apples", "1"))
    assert answered.answer is not None and answered.answer.option == "1, 3"
    assert (await inbox.taken("q_mine:1")).text.endswith(": Pears, Apples")


async def test_a_command_that_asks_too_fast_is_told_to_wait(house: House) -> None:
    inbox = await ready(house)
    house.callers.agent = "agt_1"
    names = [f"{letter * 6}" for letter in "abcdefghijklmnopqrstu"]
    for name in names[:20]:
        await file(inbox, AskQuestion(id=f"q_{name}", question=f"Is it {name}?"))
    with pytest.raises(Refused) as caught:
        await file(inbox, AskQuestion(id="q_more", question=f"Is it {names[20]}?"))
    assert (caught.value.code, caught.value.status) == ("too_many", 429)


async def test_an_id_is_one_question(house: House) -> None:
    inbox = await ready(house)
    house.callers.agent = "agt_1"
    await file(inbox)
    with pytest.raises(Refused) as caught:
        await file(inbox, msgspec.structs.replace(ASK, question="Another?"))
    assert caught.value.code == "conflict"


async def test_only_devices_answer_what_is_blocking_where_the_policy_says_so(house: House) -> None:
    inbox = await ready(house)
    blocking, other = (
        await inbox.asked(BLOCKING),
        await file(inbox, msgspec.structs.replace(ASK, agent_id="agt_1")),
    )
    house.hub._questions._acts.only_devices_answer = True
    with pytest.raises(Refused, match="Only paired devices") as caught:
        await inbox.answer(blocking.id, "1")
    assert caught.value.code == "not_allowed"
    assert (await inbox.answer(other.id, "1")).state == "answered"
    assert [one.code for one in await inbox.receipts() if one.what == "answer"] == ["not_allowed", "ok"]


# ---- dialogs -----------------------------------------------------------------------------------------------


def picker(id: str = "wai_1", **more: object) -> WaitingFor:
    waiting = WaitingFor(
        id=id,
        kind="picker",
        text="Which fruit?\n\nPears (Recommended): They bruise soonest",
        since_ms=1,
        options=(
            DialogOption(key="1", label="Pears (Recommended)", risky=False),
            DialogOption(key="2", label="Plums", risky=False),
            DialogOption(key="3", label="Type something.", risky=False),
            DialogOption(key="4", label="Chat about this", risky=False),
        ),
        free_text=True,
    )
    return msgspec.structs.replace(waiting, **more)


async def asks(house: House, waiting: WaitingFor | None) -> None:
    state = house.node.agents["agt_1"]
    activity = "idle" if waiting is None else "blocked"
    await house.node.put(msgspec.structs.replace(state, activity=activity, waiting_for=waiting))


async def test_a_dialog_is_a_card_and_its_answer_presses_keys(house: House) -> None:
    inbox = await ready(house)
    await asks(house, picker())
    (card,) = await until(inbox.open)
    assert (card.source, card.question, card.waiting_id, card.free_text) == (
        "picker",
        "Which fruit?",
        "wai_1",
        True,
    )
    assert [(one.key, one.label, one.recommended) for one in card.options] == [
        ("1", "Pears", True),
        ("2", "Plums", False),
    ]
    answered = await inbox.answer(card.id, "Plums")
    assert answered.answer is not None and answered.answer.delivery is not None
    assert (answered.state, answered.answer.option, answered.answer.delivery.state) == (
        "answered",
        "2",
        "delivered",
    )
    (act,) = [act for act in house.node.asked if isinstance(act, AnswerAct)]
    assert (act.waiting_id, act.option, act.text) == ("wai_1", "2", None)
    with pytest.raises(Refused, match="answered by you"):
        await inbox.answer(card.id, "1")
    assert len([act for act in house.node.asked if isinstance(act, AnswerAct)]) == 1


async def test_of_two_answers_to_a_dialog_one_presses_keys(house: House) -> None:
    inbox = await ready(house)
    await asks(house, picker())
    (card,) = await until(inbox.open)
    told = await asyncio.gather(
        inbox.answer(card.id, "1"), inbox.answer(card.id, "2"), return_exceptions=True
    )
    assert sorted(isinstance(one, Refused) for one in told) == [False, True]
    assert len([act for act in house.node.asked if isinstance(act, AnswerAct)]) == 1


async def test_what_the_machine_refuses_leaves_the_card_and_says_why(house: House) -> None:
    inbox = await ready(house)
    await asks(house, picker())
    (card,) = await until(inbox.open)

    def refuse(act: Act) -> ActResult | None:
        return ActResult(code="changed", text="Another dialog is open.")

    house.node.refuse = refuse
    with pytest.raises(Refused, match="Another dialog") as caught:
        await inbox.answer(card.id, "1")
    assert caught.value.code == "changed"
    assert [one.id for one in await inbox.open()] == [card.id]


async def test_a_dialog_that_was_answered_at_the_pane(house: House) -> None:
    inbox = await ready(house)
    await asks(house, picker())
    (card,) = await until(inbox.open)
    await asks(house, None)
    tool = Tool(
        name="AskUserQuestion", title="t", state="done", input="Which fruit?", output="Which fruit? → Plums"
    )
    item = Item(id="t1", at_ms=house.clock.now_ms(), kind="tool", tool=tool)
    await house.node.say("agt_1", item)
    closed = await inbox.until(card.id, lambda q: q.state == "answered")
    assert closed.answer is not None
    assert (closed.answer.option, closed.answer.by, closed.answer.delivery) == ("2", "host", None)


async def test_a_dialog_that_is_gone_without_a_word_has_expired(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_pickers, "GRACE_S", 0.05)
    inbox = await ready(house)
    await asks(house, picker())
    (card,) = await until(inbox.open)
    await asks(house, picker("wai_2", text="And then?"))
    await until(lambda: house.hub._questions._pickers._standing.get("agt_1") == "wai_2")
    second = await until(lambda: inbox.open(), "both")
    assert card.id in {one.id for one in second}, "the first page's answer is told with the last one's"
    await asks(house, None)
    await inbox.until(card.id, lambda q: q.state == "expired")
    await asks(house, picker())
    (again,) = await until(inbox.open)
    assert again.id != card.id and again.question == card.question
    assert inbox.sent == []


async def test_an_agent_that_cannot_be_looked_at_keeps_its_cards(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_pickers, "GRACE_S", 0.05)
    inbox = await ready(house)
    await asks(house, picker())
    (card,) = await until(inbox.open)
    await house.node.put(agent_state(activity="unknown", mark="1"))
    await house.until_agent(activity="unknown")
    await house.restart()
    await house.until_agent(activity="unknown")
    assert [one.id for one in await inbox.open()] == [card.id]


async def test_a_dialog_is_skipped_by_its_way_out(house: House) -> None:
    inbox = await ready(house)
    await asks(house, picker())
    (card,) = await until(inbox.open)
    assert (await inbox.close(card.id, "skip")).state == "skipped"
    (act,) = [act for act in house.node.asked if isinstance(act, AnswerAct)]
    assert act.option == "4"
    assert "no approval" in (await inbox.taken(f"{card.id}:1")).text


async def test_a_dialog_without_a_way_out_is_not_skipped(house: House) -> None:
    inbox = await ready(house)
    await asks(house, picker(options=(DialogOption(key="1", label="Pears", risky=False),), free_text=False))
    (card,) = await until(inbox.open)
    with pytest.raises(Refused, match="cannot be left"):
        await inbox.close(card.id, "skip")
    with pytest.raises(Refused, match="takes none"):
        await inbox.answer(card.id, text="Something")
    assert (await inbox.close(card.id, "dismiss")).state == "dismissed"
    await asks(house, picker("wai_2"))
    await until(inbox.open)


async def test_a_permission_is_no_question(house: House) -> None:
    inbox = await ready(house)
    await asks(house, picker(kind="permission"))
    await house.until_agent(activity="blocked")
    assert (await inbox.all()).questions == ()
