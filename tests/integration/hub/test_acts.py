"""Answers, interrupts, keys and screens: once for their id, with a receipt."""

from __future__ import annotations

import asyncio

import pytest

from controlroom.client import Refused
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import AnswerDialog, Interrupt, PatchAgent, PressKeys, SendMessage
from controlroom.wire.model import Receipt
from controlroom.wire.node import Act, ActResult, AnswerAct, InterruptAct, KeysAct
from tests.integration.hub.conftest import House
from tests.support.waiting import until

YES = AnswerDialog(request_id="req_1", waiting_id="dlg_1", option="1")


async def ready(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.draw("agt_1", "❯ hi", "")
    await house.until_agent()


async def receipts(house: House) -> list[Receipt]:
    return list((await house.client.receipts()).receipts)


async def test_an_answer_reaches_the_node_once_for_its_id(house: House) -> None:
    await ready(house)
    first = await house.client.answer("agt_1", YES)
    again = await house.client.answer("agt_1", YES)
    assert first == again
    (act,) = house.node.asked
    assert isinstance(act, AnswerAct)
    assert (act.agent_id, act.waiting_id, act.option, act.by) == ("agt_1", "dlg_1", "1", "host")
    (receipt,) = await receipts(house)
    assert (receipt.by, receipt.what, receipt.code, receipt.agent_id) == ("host", "answer", "ok", "agt_1")
    assert "option 1" in receipt.text
    assert receipt.screen == ("❯ hi",)


async def test_the_first_result_is_given_after_a_restart_too(house: House) -> None:
    await ready(house)
    first = await house.client.answer("agt_1", YES)
    await house.restart()
    await house.until_agent()
    assert await house.client.answer("agt_1", YES) == first
    assert len(house.node.asked) == 1


async def test_the_same_id_for_something_else_is_a_conflict(house: House) -> None:
    await ready(house)
    await house.client.answer("agt_1", YES)
    other = AnswerDialog(request_id="req_1", waiting_id="dlg_1", option="2")
    for call in (
        house.client.answer("agt_1", other),
        house.client.interrupt("agt_1", Interrupt(request_id="req_1")),
    ):
        with pytest.raises(Refused) as caught:
            await call
        assert caught.value.code == "conflict"


async def test_two_at_the_same_time_are_one(house: House) -> None:
    await ready(house)
    results = await asyncio.gather(*(house.client.answer("agt_1", YES) for _ in range(5)))
    assert len(set(results)) == 1
    assert len(house.node.asked) == 1


async def test_a_refusal_leaves_no_trace_and_the_id_may_be_tried_again(house: House) -> None:
    await ready(house)
    house.node.refuse = lambda act: ActResult(code="changed", text="Another dialog is open.")
    with pytest.raises(Refused, match="Another dialog") as caught:
        await house.client.answer("agt_1", YES)
    assert caught.value.code == "changed"
    assert await receipts(house) == []
    house.node.refuse = lambda act: None
    await house.client.answer("agt_1", YES)


async def test_an_act_that_may_have_happened_leaves_a_receipt(house: House) -> None:
    await ready(house)
    house.node.refuse = lambda act: ActResult(code="failed", text="It cannot be said.")
    with pytest.raises(Refused):
        await house.client.answer("agt_1", YES)
    (receipt,) = await receipts(house)
    assert receipt.code == "failed"


async def test_a_repeated_request_has_the_same_id_on_the_node(house: House) -> None:
    """After a crash between act and answer the node recognises the request."""
    await ready(house)
    house.node.refuse = lambda act: ActResult(code="busy", text="later")
    for _ in range(2):
        with pytest.raises(Refused):
            await house.client.answer("agt_1", YES)
    first, second = house.node.asked
    assert first.id == second.id


async def test_an_interrupt_and_keys_reach_the_node(house: House) -> None:
    await ready(house)
    await house.client.interrupt("agt_1", Interrupt(request_id="req_1"))
    keys = PressKeys(request_id="req_2", keys=("Escape", "a", "b"), seen_revision="r1")
    done = await house.client.keys("agt_1", keys)
    assert done.request_id == "req_2"
    interrupt, pressed = house.node.asked
    assert isinstance(interrupt, InterruptAct)
    assert isinstance(pressed, KeysAct)
    assert (pressed.keys, pressed.seen_revision) == (("Escape", "a", "b"), "r1")
    texts = [receipt.text for receipt in await receipts(house)]
    assert texts == ["Interrupted the running turn.", "Pressed Escape and 2 typed characters."]


async def test_typing_on_and_on_is_one_receipt(house: House) -> None:
    await ready(house)
    for number, key in enumerate("hello"):
        await house.client.keys("agt_1", PressKeys(request_id=f"req_{number}", keys=(key,)))
    await house.client.keys("agt_1", PressKeys(request_id="req_9", keys=("Enter",)))
    assert [r.text for r in await receipts(house)] == ["Pressed 1 typed character."]


async def test_the_screen_comes_through(house: House) -> None:
    await ready(house)
    screen = await house.client.screen("agt_1")
    assert (screen.rows, screen.width, screen.height) == (("❯ hi", ""), 80, 2)


@pytest.mark.parametrize(
    ("keys", "code"),
    [((), "bad_request"), (("a",) * 201, "too_large"), (("x" * 101,), "too_large")],
)
async def test_impossible_keys_are_refused(house: House, keys: tuple[str, ...], code: str) -> None:
    await ready(house)
    with pytest.raises(Refused) as caught:
        await house.client.keys("agt_1", PressKeys(request_id="req_1", keys=keys))
    assert caught.value.code == code


async def test_acts_on_nobody_and_on_a_machine_that_is_away(house: House) -> None:
    await ready(house)
    with pytest.raises(Refused) as caught:
        await house.client.answer("none", YES)
    assert caught.value.code == "not_found"
    await house.node.go_away()
    await until(lambda: not house.hub.fleet().machines[0].online)
    for call in (house.client.answer("agt_1", YES), house.client.screen("agt_1")):
        with pytest.raises(Refused, match="desk is away") as caught:
            await call
        assert caught.value.code == "offline"


# ---- who asks -------------------------------------------------------------------------------------------


async def test_an_agent_may_read_and_nothing_else(house: House) -> None:
    await ready(house)
    await house.client.send("agt_1", SendMessage(id="msg_0", text="from the person"))
    house.callers.agent = "agt_7"
    await house.client.__aexit__(None, None, None)  # a connection keeps the identity it was opened with
    await house.client.__aenter__()
    assert (await house.client.fleet()).agents
    await house.client.items("cht_1")
    await house.client.screen("agt_1")
    await house.client.message("msg_0")
    asked = [act for act in house.node.asked if not _is_send(act)]
    for call in (
        house.client.answer("agt_1", YES),
        house.client.interrupt("agt_1", Interrupt(request_id="req_1")),
        house.client.keys("agt_1", PressKeys(request_id="req_2", keys=("Enter",))),
        house.client.send("agt_1", SendMessage(id="msg_1", text="hi")),
        house.client.send_to_chat("cht_1", SendMessage(id="msg_1", text="hi")),
        house.client.cancel_message("msg_0"),
        house.client.patch_agent("agt_1", PatchAgent(pinned=True)),
        house.client.status(),
    ):
        with pytest.raises(Refused) as caught:
            await call
        assert caught.value.code == "not_allowed"
    assert [act for act in house.node.asked if not _is_send(act)] == asked
    left = [(r.by, r.what, r.code) for r in await receipts(house)]
    assert ("agent:agt_7", "answer", "not_allowed") in left
    assert {what for _, what, _ in left} == {
        "answer",
        "interrupt",
        "keys",
        "messages",
        "take back messages",
        "agents",
        "status",
    }


def _is_send(act: Act) -> bool:
    return act.id.startswith("msg_")


async def test_an_agents_repetitions_fill_no_journal(house: House) -> None:
    await ready(house)
    house.callers.agent = "agt_7"
    await house.client.__aexit__(None, None, None)
    await house.client.__aenter__()
    for number in range(5):
        with pytest.raises(Refused):
            await house.client.interrupt("agt_1", Interrupt(request_id=f"req_{number}"))
    assert len(await receipts(house)) == 1


async def test_an_agents_keys_on_the_live_socket_are_refused(house: House) -> None:
    await ready(house)
    house.callers.agent = "agt_7"
    await house.client.__aexit__(None, None, None)
    await house.client.__aenter__()
    async with house.client.live() as live:
        await live.keys("req_1", "agt_1", ("Enter",))
        async for frame in live:
            if getattr(frame, "request_id", None) == "req_1":
                assert getattr(frame, "code", None) == "not_allowed"
                break
    assert house.node.asked == []
    assert [r.what for r in await receipts(house)] == ["keys"]


async def test_a_paste_reaches_the_node_as_one_and_its_receipt_keeps_the_secret(house: House) -> None:
    await ready(house)
    await house.client.keys("agt_1", PressKeys(request_id="req_1", paste="hunter2", seen_revision="r1"))
    (pressed,) = house.node.asked
    assert isinstance(pressed, KeysAct)
    assert (pressed.paste, pressed.keys, pressed.seen_revision) == ("hunter2", (), "r1")
    assert [receipt.text for receipt in await receipts(house)] == ["Pasted a text."]
    with pytest.raises(Refused) as refused:
        await house.client.keys("agt_1", PressKeys(request_id="req_2"))
    assert refused.value.code == "bad_request"
