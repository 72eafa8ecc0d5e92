"""The shell that types: what it does to a pane, and that it looks freshly each time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlroom.core.delivery import OnDraft, SendAs, SendWhen
from controlroom.node.agents.base import Intent, Outcome, Outgoing
from controlroom.node.agents.typing import interrupt_by_keys, submit_by_typing
from controlroom.node.mux.base import PaneGone
from tests.unit.core.submission_model import Model
from tests.unit.node.agents.typed_agent import WHO, Log, ModelAgent, ModelWorld, busy


def message(
    text: str = "hello",
    *,
    when: SendWhen = "idle",
    send_as: SendAs = "text",
    on_draft: OnDraft = "wait",
    intent: Intent | None = None,
) -> Outgoing:
    return Outgoing(id="msg_1", text=text, when=when, send_as=send_as, on_draft=on_draft, intent=intent)


async def send(world: ModelWorld, out: Outgoing, log: Log | None = None) -> Outcome:
    return await submit_by_typing(world, WHO, out, log or Log(), ModelAgent(world.model))


async def test_an_idle_agent_gets_one_paste_and_one_enter_and_the_row_proves_it() -> None:
    world, log = ModelWorld(Model()), Log()
    outcome = await send(world, message("a\nb"), log)
    assert (outcome.state, outcome.item_id) == ("delivered", "0")
    assert [row.text for row in world.model.rows] == ["a\nb"]
    assert (world.pasted, world.model.enters) == (["a\nb"], 1)
    assert [(i.pasted, i.entered) for i in log.saved] == [(True, 0), (True, 1)]


async def test_whose_pane_it_is_is_checked_right_before_each_act() -> None:
    world = ModelWorld(Model())
    await send(world, message())
    for act in ("paste", "Enter"):
        assert world.calls[world.calls.index(act) - 1] == "still"


async def test_text_is_made_harmless_and_a_command_is_not() -> None:
    world = ModelWorld(Model())
    await send(world, message("/clear"))
    await send(ModelWorld(other := Model()), message("/clear", send_as="command"))
    assert world.model.rows[0].text == "Text: /clear"
    assert other.rows[0].text == "/clear"


async def test_a_control_character_cannot_smuggle_a_command_past_the_check() -> None:
    world = ModelWorld(Model())
    await send(world, message("\x1b/clear"))
    assert world.pasted == ["Text: /clear"]


async def test_control_characters_are_taken_out_and_said_so() -> None:
    """A text that holds ESC[201~ would end its own paste bracket."""
    world = ModelWorld(Model())
    outcome = await send(world, message("a\x1b[201~b\rc"))
    assert world.pasted == ["a[201~b\nc"]
    assert outcome.text == "1 control characters were taken out."


async def test_a_draft_is_kept_or_joined_or_replaced_as_asked() -> None:
    for on_draft, rows, composer in (
        ("wait", [], "HALF DRAFT"),
        ("after", ["HALF DRAFT\nhello"], ""),
        ("replace", ["hello"], ""),
    ):
        world = ModelWorld(Model(composer="HALF DRAFT"))
        outcome = await send(world, message(on_draft=on_draft))  # type: ignore[arg-type]  # a literal of the table
        assert outcome.state == ("held" if on_draft == "wait" else "delivered")
        assert [row.text for row in world.model.rows] == rows
        assert world.model.composer == composer


async def test_a_draft_that_is_a_command_is_not_submitted_with_a_message() -> None:
    outcome = await send(world := ModelWorld(Model(composer="/clear")), message(on_draft="after"))
    assert (outcome.state, outcome.code, world.pasted) == ("held", "draft", [])


async def test_an_agent_that_works_is_waited_for_or_queues() -> None:
    world = ModelWorld(Model(now="working"))
    assert (await send(world, message())).code == "working"
    assert world.pasted == []
    assert (await send(world, message(when="now"))).code == "in_agents_queue"
    assert world.model.queue == ["hello"]


async def test_a_paste_or_enter_that_broke_off_may_have_been_done() -> None:
    for act in ("paste", "Enter"):
        for error in (busy(), PaneGone("%1")):
            world = ModelWorld(Model())
            world.breaks[act] = error
            assert (await send(world, message())).state == "delivered"
            assert len(world.model.rows) == 1


async def test_a_screen_that_cannot_be_read_holds_the_message() -> None:
    world = ModelWorld(Model())
    world.breaks["frame"] = busy()
    assert (await send(world, message())).code == "offline"
    world.breaks["frame"] = PaneGone("%1")
    assert (await send(world, message())).state == "held"
    assert world.pasted == []


async def test_a_full_disk_stops_before_the_paste() -> None:
    world = ModelWorld(Model())
    with pytest.raises(OSError, match="disk full"):
        await send(world, message(), Log(fails_at=0))
    assert world.pasted == []


async def test_an_agent_without_a_pane_is_not_typed_to() -> None:
    world = ModelWorld(Model())
    nowhere = type(WHO)(kind="fake", incarnation="5@77", session_id="s")
    outcome = await submit_by_typing(world, nowhere, message(), Log(), ModelAgent(world.model))
    assert (outcome.state, outcome.code) == ("held", "gone")


async def test_waiting_for_a_row_that_never_comes_ends_unconfirmed() -> None:
    world = ModelWorld(Model(lag=10_000))
    outcome = await send(world, message())
    assert outcome.state == "unconfirmed"
    assert 8 <= world.settled <= 10


@settings(max_examples=100, deadline=None)
@given(st.data())
async def test_a_kill_after_any_call_neither_loses_nor_repeats_a_message(data: st.DataObject) -> None:
    """The run is broken off at any call into the world; the next one has only the stored intent."""

    class Killed(BaseException):
        pass

    model, log = Model(), Log()
    for _ in range(3):
        world = ModelWorld(model)
        countdown = data.draw(st.integers(0, 40))

        def call(name: str, world: ModelWorld = world, left: list[int] = [countdown]) -> None:  # noqa: B006
            left[0] -= 1
            if left[0] == 0:
                raise Killed

        world._call = call  # type: ignore[method-assign]  # the one way into every call
        try:
            outcome = await send(world, message(intent=log.saved[-1] if log.saved else None), log)
        except Killed:
            continue
        break
    else:
        outcome = await send(ModelWorld(model), message(intent=log.saved[-1] if log.saved else None), log)
    assert model.pastes <= 1
    assert [row.text for row in model.rows] == (["hello"] if outcome.state == "delivered" else [])
    assert outcome.state in ("delivered", "unconfirmed")


# --- interrupts --------------------------------------------------------------------------------------


async def test_an_interrupt_is_one_press_and_ends_with_the_agents_own_evidence() -> None:
    world = ModelWorld(Model(now="working"))
    assert (await interrupt_by_keys(world, WHO, ModelAgent(world.model))).state == "delivered"
    assert world.calls.count("Escape") == 1


async def test_no_turn_no_press() -> None:
    world = ModelWorld(Model())
    assert (await interrupt_by_keys(world, WHO, ModelAgent(world.model))).state == "delivered"
    assert "Escape" not in world.calls


async def test_a_dialog_is_not_interrupted() -> None:
    """Escape would deny its tool."""
    world = ModelWorld(Model(now="working", dialog=True))
    assert (await interrupt_by_keys(world, WHO, ModelAgent(world.model))).state == "changed"
    assert "Escape" not in world.calls


async def test_a_queued_message_that_begins_at_once_does_not_hide_the_end_of_a_turn() -> None:
    world = ModelWorld(Model(now="working", queue=["next"]))

    async def turn(who: object) -> str:
        return str(len(world.model.rows))

    answered = await interrupt_by_keys(world, WHO, ModelAgent(world.model), turn=turn)
    assert (answered.state, world.model.now) == ("delivered", "working")


async def test_a_turn_that_goes_on_is_unconfirmed_after_one_press() -> None:
    world = ModelWorld(Model(now="working"))
    world.model.queue = ["a"]
    answered = await interrupt_by_keys(world, WHO, ModelAgent(world.model))
    assert (answered.state, world.calls.count("Escape")) == ("unconfirmed", 1)
