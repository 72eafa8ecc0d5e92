"""Messages through a hub: stored always, handed over once, followed to their end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controlroom.client import Refused
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import PatchMessage, SendMessage
from controlroom.wire.model import Held, Item, Message
from controlroom.wire.node import Act, ActResult, AmendAct, SendAct
from tests.integration.hub.conftest import House
from tests.support.waiting import until


async def ready(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()


async def until_message(house: House, message_id: str, fits: Callable[[Message], bool]) -> Message:
    async def is_so() -> Message | None:
        message = await house.client.message(message_id)
        return message if fits(message) else None

    return await until(is_so, message_id)


async def until_taken(house: House, message_id: str) -> None:
    await until(lambda: message_id in house.node.taken, f"{message_id} taken")


async def away(house: House) -> None:
    await house.node.go_away()
    await until(lambda: not house.hub.fleet().machines[0].online)


async def test_a_message_is_handed_over_and_followed_to_its_delivery(house: House) -> None:
    await ready(house)
    accepted = await house.client.send("agt_1", SendMessage(id="msg_1", text="hi", send_as="command"))
    assert (accepted.id, accepted.state) == ("msg_1", "accepted")
    await until_taken(house, "msg_1")
    act = house.node.taken["msg_1"]
    assert isinstance(act, SendAct)
    assert (act.agent_id, act.text, act.send_as, act.by) == ("agt_1", "hi", "command", "host")
    await house.node.progress("msg_1", "accepted", held=Held(code="working", text="busy", since_ms=1))
    message = await until_message(house, "msg_1", lambda m: m.held is not None)
    assert message.held == Held(code="working", text="busy", since_ms=1)
    await house.node.progress("msg_1", "sending")
    await house.node.progress("msg_1", "delivered", item_id="i1")
    message = await until_message(house, "msg_1", lambda m: m.state == "delivered")
    assert (message.item_id, message.held, message.by) == ("i1", None, "host")


async def test_the_same_id_is_one_message_and_another_text_is_a_conflict(house: House) -> None:
    await ready(house)
    for _ in range(3):
        answer = await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
        assert answer.state == "accepted"
    assert (await house.client.send_to_chat("cht_1", SendMessage(id="msg_1", text="hi"))).id == "msg_1"
    with pytest.raises(Refused) as caught:
        await house.client.send("agt_1", SendMessage(id="msg_1", text="other"))
    assert caught.value.code == "conflict"
    await until_taken(house, "msg_1")
    assert len([act for act in house.node.asked if isinstance(act, SendAct)]) == 1
    await house.node.progress("msg_1", "delivered", item_id="i1")
    await until_message(house, "msg_1", lambda m: m.state == "delivered")
    again = await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    assert again.state == "delivered", "sent again, it says what became of it"


async def test_a_message_follows_its_agent_that_gave_way_to_an_older_one(house: House) -> None:
    await ready(house)
    await house.node.put(agent_state(id="agt_2", chat_id="cht_2", name="older"))
    await house.until_agent("agt_2")
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until_taken(house, "msg_1")
    await house.node.progress("msg_1", "accepted", agent_id="agt_2")
    await until_message(house, "msg_1", lambda m: (m.agent_id, m.chat_id) == ("agt_2", "cht_2"))
    page = await house.client.agent_items("agt_2")
    assert [item.id for item in page.items] == ["msg_1"]


async def test_messages_go_out_in_order_after_an_absence_and_a_restart(house: House) -> None:
    await ready(house)
    await away(house)
    for number in range(5):
        await house.client.send("agt_1", SendMessage(id=f"msg_{number}", text=str(number)))
    message = await house.client.message("msg_0")
    assert message.held is not None
    assert (message.state, message.held.code) == ("accepted", "offline")
    await house.restart()
    assert (await house.client.message("msg_0")).held is not None
    await house.node.come_back()
    await until_taken(house, "msg_4")
    sent = [act.text for act in house.node.asked if isinstance(act, SendAct)]
    assert sent == ["0", "1", "2", "3", "4"]
    await until_message(house, "msg_4", lambda m: m.held is None)


async def test_events_tell_that_a_message_waits_for_its_machine(house: House) -> None:
    await ready(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="x" * 5000))
    await until_taken(house, "msg_1")
    seq = (await house.client.fleet()).seq
    await away(house)

    async def told() -> list[bytes]:
        events = await house.store.events_after(seq, 100)
        return [event.data for event in events if event.name == "message.changed"]

    (data,) = await until(told)
    assert b'"offline"' in data
    assert b'"clipped":true' in data
    assert len(data) < 3000


async def test_what_the_node_refuses_has_failed_with_its_reason(house: House) -> None:
    await ready(house)
    house.node.refuse = lambda act: ActResult(code="not_found", text="No such agent.")
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    message = await until_message(house, "msg_1", lambda m: m.state == "failed")
    assert message.detail == "No such agent."


async def test_a_busy_node_is_asked_again(house: House) -> None:
    await ready(house)
    asked: list[Act] = []

    def busy_once(act: Act) -> ActResult | None:
        asked.append(act)
        return ActResult(code="busy", text="later") if len(asked) == 1 else None

    house.node.refuse = busy_once
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until_taken(house, "msg_1")


async def test_a_node_without_its_journal_makes_messages_unconfirmed_and_sends_none_twice(
    house: House,
) -> None:
    await ready(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until_taken(house, "msg_1")
    await house.node.lose_journal()
    message = await until_message(house, "msg_1", lambda m: m.state == "unconfirmed")
    assert "lost its journal" in (message.detail or "")
    assert len(house.node.asked) == 1


async def test_a_waiting_message_can_be_changed_and_taken_back(house: House) -> None:
    await ready(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until_taken(house, "msg_1")
    message = await house.client.patch_message("msg_1", PatchMessage(text="ho", when="now"))
    assert (message.text, message.when) == ("ho", "now")
    amend = house.node.asked[-1]
    assert isinstance(amend, AmendAct)
    assert (amend.message_id, amend.text, amend.when) == ("msg_1", "ho", "now")
    message = await house.client.cancel_message("msg_1")
    assert (message.state, message.detail) == ("failed", "Taken back before it was typed.")
    with pytest.raises(Refused) as caught:
        await house.client.cancel_message("msg_1")
    assert caught.value.code == "conflict"


async def test_what_the_node_has_typed_cannot_be_changed(house: House) -> None:
    await ready(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until_taken(house, "msg_1")
    house.node.refuse = lambda act: ActResult(code="conflict", text="It is being typed.")
    with pytest.raises(Refused, match="being typed") as caught:
        await house.client.patch_message("msg_1", PatchMessage(text="ho"))
    assert caught.value.code == "conflict"
    assert (await house.client.message("msg_1")).text == "hi"


async def test_a_message_that_never_left_is_changed_here_and_one_that_may_have_is_not(
    house: House,
) -> None:
    await ready(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until_taken(house, "msg_1")
    await away(house)
    await house.client.send("agt_1", SendMessage(id="msg_2", text="hi"))
    assert (await house.client.patch_message("msg_2", PatchMessage(text="ho"))).text == "ho"
    with pytest.raises(Refused) as caught:
        await house.client.patch_message("msg_1", PatchMessage(text="ho"))
    assert caught.value.code == "offline"
    await house.node.come_back()
    await until_taken(house, "msg_2")
    act = house.node.taken["msg_2"]
    assert isinstance(act, SendAct)
    assert act.text == "ho"


async def test_a_chat_shows_waiting_messages_and_names_the_delivered_ones(house: House) -> None:
    await ready(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until_taken(house, "msg_1")
    (waiting,) = (await house.client.items("cht_1")).items
    assert (waiting.kind, waiting.id, waiting.text) == ("message", "msg_1", "hi")
    assert waiting.delivery is not None
    assert waiting.delivery.state == "accepted"
    await house.node.say("agt_1", Item(id="i1", at_ms=5, kind="user", text="hi"))
    await house.node.progress("msg_1", "delivered", item_id="i1")
    await until_message(house, "msg_1", lambda m: m.state == "delivered")
    (item,) = (await house.client.items("cht_1")).items
    assert (item.id, item.kind) == ("i1", "user")
    assert item.delivery is not None
    assert (item.delivery.id, item.delivery.state) == ("msg_1", "delivered")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (SendMessage(id="msg_1", text="  \n"), "bad_request"),
        (SendMessage(id="", text="hi"), "bad_request"),
        (SendMessage(id="a b", text="hi"), "bad_request"),
        (SendMessage(id="msg_1", text="hi", attachments=("upl_1",)), "bad_request"),
        (SendMessage(id="msg_1", text="é" * 600_000), "too_large"),
        (SendMessage(id="msg_1", text="x" * 8_000_000), "too_large"),
    ],
)
async def test_what_cannot_be_a_message_is_refused_and_leaves_no_trace(
    house: House, body: SendMessage, code: str
) -> None:
    await ready(house)
    with pytest.raises(Refused) as caught:
        await house.client.send("agt_1", body)
    assert caught.value.code == code
    assert (await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))).state == "accepted"


async def test_messages_for_nobody_are_not_found(house: House) -> None:
    for call in (house.client.send, house.client.send_to_chat):
        with pytest.raises(Refused) as caught:
            await call("nobody", SendMessage(id="msg_1", text="hi"))
        assert caught.value.code == "not_found"


async def test_an_old_conversation_takes_no_message(house: House) -> None:
    await ready(house)
    await house.node.put(agent_state(chat_id="cht_2"))
    await house.until_agent(chat_id="cht_2")
    with pytest.raises(Refused, match="present one is cht_2"):
        await house.client.send_to_chat("cht_1", SendMessage(id="msg_1", text="hi"))
