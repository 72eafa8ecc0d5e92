"""The policy where it may act: its moves, what is remembered of them, and money that the person allows."""

from __future__ import annotations

import asyncio
from functools import partial

import msgspec
import pytest

from controlroom.core import policy_memory
from controlroom.core.policy_memory import AgentMemory
from controlroom.core.policy_targets import LeftAccount
from controlroom.core.usage import Paid
from controlroom.hub.store import policy_rows
from controlroom.kit.settings import Policy, Settings
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import SendMessage
from controlroom.wire.model import Message
from controlroom.wire.node import Act, ActResult, AmendAct, OperateAct
from controlroom.wire.operation import AskOperation, Operation, OperationArgs, OperationError, UndoOperation
from controlroom.wire.policy import PolicyAdvice
from controlroom.wire.question import AnswerQuestion, CloseQuestion, Question, SetPause
from tests.integration.hub import conftest
from tests.integration.hub.conftest import House
from tests.integration.hub.policy_house import HOUR, tell
from tests.support.waiting import until

WHY = "2 % of the week is below the minimum of 3 %; it ends in 2 d."
PAID = Paid(is_enabled=True, used_cents=4120, limit_cents=5000)


@pytest.fixture(autouse=True)
def let_it_act(monkeypatch: pytest.MonkeyPatch) -> None:
    """The policy may act on the machine of these tests."""
    monkeypatch.setattr("controlroom.hub.policy_desk.REST_S", 0.05)
    monkeypatch.setattr("controlroom.hub.hub.STOP_S", 0.1)  # who still asks is not waited for

    def settings(**more: object) -> Settings:
        return Settings(policy=Policy(automatic=("desk",)), **more)  # type: ignore[arg-type] # by name

    monkeypatch.setattr(conftest, "Settings", settings)


async def moved(house: House) -> Operation:
    """The operation that the policy asked for."""

    async def asked() -> Operation | None:
        found = (await house.client.operations()).operations
        return found[-1] if found and found[-1].id in house.node.taken else None

    return await until(asked, "a move of the policy")


async def ends(house: House, id: str, error: OperationError | None = None) -> Operation:
    await house.node.tell_operation(id, "agt_1", "delivered" if error is None else "failed", error=error)

    async def is_over() -> Operation | None:
        found = await house.client.operation(id)
        return found if found.state in ("delivered", "failed") else None

    return await until(is_over, f"{id} is over")


async def advice(house: House, rule: str) -> PolicyAdvice:
    async def given() -> PolicyAdvice | None:
        found = (await house.client.policy()).advice
        return found[0] if found and found[0].rule == rule else None

    return await until(given, f"the rule {rule}")


async def card(house: House) -> Question:
    """The question about money."""

    async def asked() -> Question | None:
        found = (await house.client.questions()).questions
        return found[0] if found else None

    return await until(asked, "a question")


def acts(house: House) -> list[OperateAct]:
    return [act for act in house.node.asked if isinstance(act, OperateAct)]


# ---- moves -------------------------------------------------------------------------------------------------


async def test_it_moves_an_agent_once_and_says_why(house: House) -> None:
    await tell(house, {"work": 98, "home": 40})
    move = await moved(house)
    assert (move.kind, move.by, move.why, move.profile_name) == ("move", "policy", WHY, "home")
    assert (acts(house)[0].profile, acts(house)[0].when, acts(house)[0].drop) == ("/home", "idle", False)
    report = await house.client.policy()
    assert report.advice[0].operation == move.id
    assert report.advice[0].sentences[-1] == f"Its move by the policy to profile home waits: {move.id}."
    assert [(one.name, one.automatic) for one in report.machines] == [("desk", True)]
    await tell(house, {"home": 98, "work": 98}, profile="/home")
    done = await ends(house, move.id)
    assert done.undo is not None
    receipts = [(one.by, one.text) for one in (await house.client.receipts()).receipts]
    assert receipts == [
        ("policy", f"Asked for a move to profile home, once it is idle. Why: {WHY}"),
        ("policy", f"Moved to profile home. Why: {WHY}"),
    ]
    assert (await advice(house, "cool_down")).what == "wait"
    await house.restart()
    assert (await advice(house, "cool_down")).what == "wait", "it is remembered"
    assert len(acts(house)) == 1


async def test_a_move_that_was_taken_back_leaves_the_agent_alone(house: House) -> None:
    await tell(house, {"work": 98, "home": 40})
    move = await moved(house)
    await tell(house, {"home": 40, "work": 98}, profile="/home")
    await house.until_agent(profile="/home")
    await ends(house, move.id)
    undo = await house.client.undo_operation(move.id, UndoOperation(request_id="r1", why="It stays."))
    await until(lambda: undo.id in house.node.taken, "the way back")
    await tell(house, {"work": 98, "home": 40})
    await ends(house, undo.id)
    found = await advice(house, "left_alone")
    assert found.sentences[-1].startswith("A move of the policy was taken back: it is left alone")
    await house.restart()
    assert (await advice(house, "left_alone")).what == "stay"
    assert [act.profile for act in acts(house)] == ["/home", "/work"]


@pytest.mark.parametrize("kill", ["before the answer", "before the end", None])
async def test_a_waiting_move_that_a_person_takes_back_leaves_the_agent_alone(
    house: House, monkeypatch: pytest.MonkeyPatch, kill: str | None
) -> None:
    """The node has ended the move; the hub may die before it hears that, and before it hears of the end."""
    await tell(house, {"work": 98, "home": 40})
    move = await moved(house)
    real_act, is_asked = house.node.act, asyncio.Event()

    async def act(act: Act) -> ActResult:
        result = await real_act(act)
        if isinstance(act, AmendAct):
            is_asked.set()
            if kill == "before the answer":
                await asyncio.Event().wait()
        return result

    monkeypatch.setattr(house.node, "act", act)
    wish = UndoOperation(request_id="r1", why="It stays.")
    asked = asyncio.create_task(house.client.undo_operation(move.id, wish))
    await is_asked.wait()
    if kill == "before the answer":
        asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    if kill:
        await house.restart()
    await ends(house, move.id, OperationError(code="cancelled", text="It was taken back."))
    found = await advice(house, "left_alone")
    assert found.sentences[-1].startswith("A move of the policy was taken back: it is left alone")
    last = (await house.client.receipts()).receipts[-1]
    assert (last.by, last.code) == ("host", "failed")
    assert (
        last.text == "Asked for a move to profile home, which was taken back while it waited. Why: It stays."
    )
    await house.restart()
    await house.hub.policy.look()
    assert len(acts(house)) == 1, "it is not moved again"


async def test_it_asks_for_nothing_when_somebody_else_was_quicker(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tell(house, {"work": 10, "home": 40})
    await house.until_agent(profile="/work")
    stop = AskOperation(id="op_1", kind="stop", why="It is done.", agent_id="agt_1", args=OperationArgs())
    await house.client.operate(stop)

    async def none_yet() -> tuple[Operation, ...]:
        return ()

    monkeypatch.setattr(house.hub.policy._operations, "under_way", none_yet)
    await tell(house, {"work": 98, "home": 40})
    assert (await advice(house, "week_low")).what == "move"
    await house.hub.policy.look()
    assert [one.id for one in (await house.client.operations()).operations] == ["op_1"]


async def test_a_move_that_failed_is_not_tried_again_soon(house: House) -> None:
    await tell(house, {"work": 98, "home": 40})
    move = await moved(house)
    await ends(house, move.id, OperationError(code="failed", text="The disk is full."))
    found = await advice(house, "cool_down")
    assert found.sentences[-1].startswith("A move of it failed a short while ago")


async def test_a_move_that_waits_is_taken_back_when_there_is_enough_again(house: House) -> None:
    await tell(house, {"work": 98, "home": 40})
    move = await moved(house)
    await tell(house, {"work": 10, "home": 40})
    error = OperationError(code="cancelled", text="It was taken back.")
    await until(lambda: any(act.id.startswith("amd_") for act in house.node.asked), "it is taken back")
    await ends(house, move.id, error)
    await tell(house, {"work": 98, "home": 40})
    await until(lambda: len(acts(house)) == 2, "nobody asked to leave it alone")


async def test_nothing_is_done_while_paused(house: House) -> None:
    await house.client.set_paused(SetPause(request_id="p1", paused=True))
    await tell(house, {"work": 98, "home": 40})
    assert (await advice(house, "week_low")).what == "move", "it would be due"
    assert (await house.client.policy()).paused
    await house.hub.policy.look()
    assert (await house.client.operations()).operations == ()
    await house.client.set_paused(SetPause(request_id="p2", paused=False))
    await moved(house)


async def test_a_move_that_waits_is_taken_back_when_its_target_is_spent_by_now(house: House) -> None:
    await tell(house, {"work": 98, "home": 40})
    move = await moved(house)
    await tell(house, {"work": 98, "home": 97})
    assert (await advice(house, "no_target")).operation == move.id
    await house.hub.policy.look()
    assert house.node.asked == acts(house), "less than the margin, and no trouble: it goes on"
    await tell(house, {"work": 98, "home": 99})
    await until(lambda: any(act.id.startswith("amd_") for act in house.node.asked), "it is taken back")
    await ends(house, move.id, OperationError(code="cancelled", text="It was taken back."))
    last = (await house.client.receipts()).receipts[-1]
    assert (last.by, last.text.partition(" Why: ")[2]) == (
        "policy",
        "The account that it would move to has not enough any more.",
    )


async def test_what_is_remembered_of_agents_that_left_goes_once_nothing_of_it_counts(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    now_ms = house.clock.now_ms()
    long_ago = AgentMemory(moved_at_ms=now_ms - policy_rows.KEPT_MS - HOUR)
    left = LeftAccount(account_id="acc_work", length_minutes=10_080, until_ms=now_ms - HOUR)
    known = {
        "agt_1": long_ago,  # it is listed
        "agt_2": long_ago,
        "agt_3": policy_memory.taken_back(long_ago, left),
        "agt_4": policy_memory.failed(long_ago, left, now_ms),
        "agt_5": msgspec.structs.replace(long_ago, left=(left,)),
    }
    for agent_id, memory in known.items():
        await house.store.change(partial(policy_rows.put_memory, agent_id=agent_id, memory=memory))
    await house.restart()

    async def remembered() -> bool:
        found = await house.store.read(policy_rows.memories)
        return found == {id: memory for id, memory in known.items() if id != "agt_2"}

    await until(remembered, "only what can still count")


# ---- money -------------------------------------------------------------------------------------------------


async def test_it_asks_before_money_is_spent_and_takes_the_answer(house: House) -> None:
    await tell(house, {"work": 100}, PAID)
    asked = await card(house)
    assert (asked.source, asked.blocking, asked.agent_id) == ("policy", True, "agt_1")
    assert asked.question == "Shall shop go on with paid extra usage?"
    assert asked.context is not None and "41.20 of a monthly limit of 50.00" in asked.context
    assert [(one.key, one.label) for one in asked.options] == [("no", "No, wait"), ("yes", "Yes, pay")]
    await house.restart()
    assert [one.id for one in (await house.client.questions()).questions] == [asked.id], "asked once"
    answered = await house.client.answer_question(asked.id, AnswerQuestion(request_id="r1", option="yes"))
    assert (answered.state, answered.undo_until_ms) == ("answered", 0)
    assert (await advice(house, "credit_allowed")).what == "stay"
    await house.restart()
    assert (await advice(house, "credit_allowed")).what == "stay", "the answer is kept"
    await house.client.close_question(asked.id, "undo", CloseQuestion(request_id="r2"))
    assert (await advice(house, "credit_guard")).what == "ask"
    assert house.node.taken == {}, "nothing is typed because of it"


async def test_a_card_that_nobody_needs_any_more_goes_away(house: House) -> None:
    await tell(house, {"work": 100}, PAID)
    asked = await card(house)
    await tell(house, {"work": 10}, PAID)

    async def is_over() -> bool:
        return (await house.client.question(asked.id)).state == "expired"

    await until(is_over, "the card is gone")


async def test_landing_on_an_old_reading_is_asked_about_and_the_question_stays(house: House) -> None:
    await tell(house, {"work": 98, "home": 40}, PAID, old="home")
    asked = await card(house)
    assert asked.question == "Shall shop move to where it goes on with paid extra usage?"
    await house.restart()
    assert [one.id for one in (await house.client.questions()).questions] == [asked.id]
    await house.client.answer_question(asked.id, AnswerQuestion(request_id="r1", option="Yes, pay"))
    assert (await moved(house)).profile_name == "home"


@pytest.mark.parametrize("is_allowed", [True, False])
async def test_messages_wait_while_they_would_cost_money(house: House, is_allowed: bool) -> None:
    await tell(house, {"work": 100}, PAID)
    await house.until_agent(profile="/work")
    asked = await card(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="Go on."))

    async def held() -> Message | None:
        found = await house.client.message("msg_1")
        return found if found.held is not None else None

    message = await until(held, "it is held")
    assert message.held is not None and (message.state, message.held.code) == ("accepted", "credit")
    answer = AnswerQuestion(request_id="r1", option="yes" if is_allowed else "no")
    await house.client.answer_question(asked.id, answer)
    if not is_allowed:

        async def says_so() -> bool:
            found = await house.client.message("msg_1")
            return found.held is not None and "did not allow" in found.held.text

        await until(says_so, "it waits for the next window")
        assert house.node.taken == {}
        await tell(house, {"work": 5}, PAID)
    await until(lambda: "msg_1" in house.node.taken, "it goes out")


async def test_a_machine_that_has_just_begun_lets_nothing_through_that_costs_money(house: House) -> None:
    """What it told of accounts before stands until it has looked again."""
    await tell(house, {"work": 100}, PAID)
    await house.until_agent(profile="/work")
    await card(house)
    known = house.node.usage_state
    house.node.usage_state = None
    await house.node.restart()
    await house.node.put(agent_state(profile="/work", name="pears"))
    await house.until_agent(name="pears")
    assert await house.hub.policy._credit.hold("agt_1") is not None
    assert [one.name for one in await house.client.accounts()] == ["work"]
    house.node.usage_state = known
    await house.node.touch()


@pytest.mark.parametrize("option", ["yes", "no", None])
async def test_a_restart_on_a_spent_account_waits_for_the_answer(house: House, option: str | None) -> None:
    await tell(house, {"work": 100}, PAID)
    await house.until_agent(profile="/work")
    asked = await card(house)
    wish = AskOperation(id="op_1", kind="restart", why="It is stuck.", agent_id="agt_1", args=OperationArgs())
    await house.client.operate(wish)

    async def said() -> Operation | None:
        found = await house.client.operation("op_1")
        return found if found.steps[0].detail or found.state == "failed" else None

    held = await until(said, "it waits, and says so")
    assert held.state == "queued" and held.steps[0].detail is not None
    assert "It waits for your answer in the Inbox" in held.steps[0].detail
    assert acts(house) == []
    if option is None:
        await house.client.close_question(asked.id, "dismiss", CloseQuestion(request_id="r1"))
    else:
        await house.client.answer_question(asked.id, AnswerQuestion(request_id="r1", option=option))
    if option == "yes":
        await until(lambda: "op_1" in house.node.taken, "it goes on")
        return

    async def failed() -> Operation | None:
        found = await house.client.operation("op_1")
        return found if found.state == "failed" else None

    refused = await until(failed, "it is refused")
    assert refused.error is not None and refused.error.code == "not_allowed"
    assert acts(house) == []
