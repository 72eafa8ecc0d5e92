"""How messages look from outside."""

from __future__ import annotations

import msgspec
import pytest

from controlroom.hub.delivery import EVENT_TEXT, as_shown, for_event, waiting_item, with_progress
from controlroom.hub.nodes import Node
from controlroom.kit.clock import FakeClock
from controlroom.testing.fake_node import FakeNode
from controlroom.wire.model import Held, Message, MessageState
from controlroom.wire.node import ActProgress

WORKING = Held(code="working", text="It works.", since_ms=5)
MESSAGE = Message(
    id="msg_1",
    chat_id="cht_1",
    agent_id="agt_1",
    text="hi",
    state="accepted",
    when="idle",
    created_at_ms=100,
    changed_at_ms=100,
    held=WORKING,
)


def node(is_online: bool) -> Node:
    node = Node("mac_1", FakeNode(FakeClock()))
    node.name, node.last_seen_ms = "desk", 700
    node.set_online(is_online)
    return node


def test_a_waiting_message_waits_for_its_machine_while_that_is_away() -> None:
    assert as_shown(MESSAGE, node(True)).held == WORKING
    held = as_shown(MESSAGE, node(False)).held
    assert held == Held(code="offline", text="Waits for desk, which is away.", since_ms=700)
    unknown = as_shown(MESSAGE, None).held
    assert unknown is not None
    assert unknown.code == "offline"


@pytest.mark.parametrize("state", ["sending", "delivered", "unconfirmed", "failed"])
def test_other_states_do_not_depend_on_the_machine(state: MessageState) -> None:
    message = msgspec.structs.replace(MESSAGE, state=state)
    assert as_shown(message, node(False)) is message


def test_events_carry_a_short_text_and_say_so() -> None:
    assert for_event(MESSAGE) is MESSAGE
    long = msgspec.structs.replace(MESSAGE, text="x" * (EVENT_TEXT + 1))
    assert (len(for_event(long).text), for_event(long).clipped) == (EVENT_TEXT, True)


def test_a_message_that_no_item_shows_is_an_item() -> None:
    item = waiting_item(MESSAGE)
    assert (item.id, item.kind, item.text, item.at_ms) == ("msg_1", "message", "hi", 100)
    assert item.delivery is not None
    assert (item.delivery.state, item.delivery.held) == ("accepted", WORKING)


def progress(**fields: object) -> ActProgress:
    base = ActProgress(seq=1, id="msg_1", kind="send", agent_id="agt_1", state="accepted", at_ms=200)
    return msgspec.structs.replace(base, **fields)


def test_progress_is_carried_over_in_the_hubs_time() -> None:
    done = with_progress(MESSAGE, progress(state="delivered", item_id="i1"), 1000)
    assert (done.state, done.item_id, done.held, done.changed_at_ms) == ("delivered", "i1", None, 1200)
    held = with_progress(MESSAGE, progress(held=Held(code="draft", text="t", since_ms=7)), 1000).held
    assert held == Held(code="draft", text="t", since_ms=1007)
    amended = with_progress(MESSAGE, progress(held=WORKING, text="ho", when="now"), 0)
    assert (amended.text, amended.when) == ("ho", "now")


def test_progress_that_says_nothing_new_changes_nothing() -> None:
    assert with_progress(MESSAGE, progress(held=WORKING), 0) is MESSAGE


def test_a_message_that_was_taken_back_has_failed_and_says_why() -> None:
    message = with_progress(MESSAGE, progress(state="cancelled"), 0)
    assert (message.state, message.detail) == ("failed", "Taken back before it was typed.")
