"""Operations through a whole hub over a fake node."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Literal

import pytest

from controlroom.client import Refused
from controlroom.core.operations import Kind
from controlroom.hub.errors import HubError
from controlroom.testing.fake_node import agent_state
from controlroom.wire.node import ActResult, AmendAct, OperateAct
from controlroom.wire.operation import (
    AskOperation,
    Operation,
    OperationArgs,
    OperationError,
    OperationStep,
    UndoOperation,
)
from tests.integration.hub.conftest import House
from tests.support.waiting import until

WHY = "It has lost its way."


def ask(what: Kind, args: OperationArgs | None = None, agent_id: str | None = "agt_1") -> AskOperation:
    return AskOperation(id="op_1", kind=what, why=WHY, agent_id=agent_id, args=args or OperationArgs())


async def taken(house: House, id: str = "op_1") -> OperateAct:
    await until(lambda: id in house.node.taken, f"the node has {id}")
    act = house.node.taken[id]
    assert isinstance(act, OperateAct)
    return act


async def ends(
    house: House, id: str = "op_1", agent_id: str = "agt_1", error: OperationError | None = None
) -> Operation:
    """The node tells that it is over; the operation as the hub has it then."""
    state: Literal["delivered", "failed"] = "delivered" if error is None else "failed"
    steps = (OperationStep(name="stop", state="done", at_ms=1),)
    await house.node.tell_operation(id, agent_id, "sending", steps=steps)
    await house.node.tell_operation(id, agent_id, state, steps=steps, error=error)
    return await until_state(house, id, state)


async def until_state(house: House, id: str, state: str) -> Operation:
    async def fits() -> Operation | None:
        found = await house.client.operation(id)
        return found if found.state == state else None

    return await until(fits, f"{id} is {state}")


async def receipts(house: House) -> list[tuple[str, str, str]]:
    return [(r.what, r.code, r.text) for r in (await house.client.receipts()).receipts]


async def refusal(call: Awaitable[object]) -> str:
    """The code with which it is refused."""
    with pytest.raises(Refused) as caught:
        await call
    return caught.value.code


async def seen_agent(house: House) -> None:
    await house.node.put(agent_state(session_id="session-1"))
    await house.until_agent()


async def test_lesson_receipts_everywhere(house: House) -> None:
    """Spec 11: each act carries its why and can be undone; it is queued, told and delivered."""
    await seen_agent(house)
    asked = await house.client.operate(ask("stop"))
    assert (asked.state, asked.by, asked.why, asked.agent_name) == ("queued", "host", WHY, "shop")
    assert [step.name for step in asked.steps] == ["wait", "stop"]
    act = await taken(house)
    assert (act.kind, act.agent_id, act.when, act.drop) == ("stop", "agt_1", "idle", False)
    done = await ends(house)
    assert done.error is None and done.undo is not None and done.seq > asked.seq
    assert await receipts(house) == [
        ("stop", "ok", f"Asked to stop it, once it is idle. Why: {WHY}"),
        ("stop", "ok", f"Stopped. Why: {WHY}"),
    ]
    assert {receipt.operation_id for receipt in (await house.client.receipts()).receipts} == {"op_1"}
    page = await house.client.operations()
    assert [operation.id for operation in page.operations] == ["op_1"]
    assert (await house.client.operations(after=done.seq)).operations == ()


async def test_the_same_id_is_the_same_operation_and_another_body_is_refused(house: House) -> None:
    await seen_agent(house)
    await house.client.operate(ask("stop"))
    again = await house.client.operate(ask("stop"))
    assert again.id == "op_1"
    assert await refusal(house.client.operate(ask("close"))) == "conflict"
    await taken(house)
    assert len([act for act in house.node.asked if isinstance(act, OperateAct)]) == 1


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (AskOperation(id="op_1", kind="stop", why=" ", agent_id="agt_1"), "bad_request"),
        (AskOperation(id="op_1", kind="stop", why="two\nlines", agent_id="agt_1"), "bad_request"),
        (AskOperation(id="op 1", kind="stop", why=WHY, agent_id="agt_1"), "bad_request"),
        (ask("stop", agent_id=None), "bad_request"),
        (ask("stop", agent_id="agt_none"), "not_found"),
        (ask("rename"), "bad_request"),
        (ask("start", agent_id=None), "bad_request"),
        (
            ask("start", OperationArgs(kind="claude", folder="/", machine_id="mac_9"), agent_id=None),
            "not_found",
        ),
        (
            ask("start", OperationArgs(kind="claude", folder="/", worktree="x" * 101), agent_id=None),
            "bad_request",
        ),
        (
            ask("start", OperationArgs(kind="claude", folder="/", flags=("--a",) * 21), agent_id=None),
            "bad_request",
        ),
    ],
)
async def test_what_cannot_be_is_refused(house: House, wish: AskOperation, code: str) -> None:
    await seen_agent(house)
    assert await refusal(house.client.operate(wish)) == code
    assert (await house.client.operations()).operations == ()


async def test_an_agent_may_look_but_not_touch(house: House) -> None:
    await seen_agent(house)
    house.callers.agent = "agt_1"
    await house.client.__aexit__(None, None, None)  # a connection keeps the identity it was opened with
    await house.client.__aenter__()
    assert (await house.client.operations()).operations == ()
    assert await refusal(house.client.operate(ask("stop"))) == "not_allowed"
    assert [code for _, code, _ in await receipts(house)] == ["not_allowed"]


async def test_it_waits_for_a_machine_that_is_away_and_outlives_a_restart(house: House) -> None:
    await seen_agent(house)
    await house.node.go_away()

    async def is_away() -> bool:
        return not (await house.client.fleet()).machines[0].online

    await until(is_away, "the machine is away")
    await house.client.operate(ask("stop"))
    await house.restart()
    assert (await house.client.operation("op_1")).state == "queued"
    await house.node.come_back()
    await taken(house)


async def test_a_refusal_of_the_machine_is_said(house: House) -> None:
    await seen_agent(house)
    house.node.refuse = lambda act: ActResult(code="bad_request", text="No pane shows it.")
    await house.client.operate(ask("stop"))
    failed = await until_state(house, "op_1", "failed")
    assert failed.error == OperationError(code="bad_request", text="No pane shows it.")
    assert failed.undo is None
    assert (await receipts(house))[-1][1] == "failed"


async def test_what_waits_is_taken_back(house: House) -> None:
    await seen_agent(house)
    await house.client.operate(ask("stop"))
    await taken(house)
    await house.client.undo_operation("op_1", UndoOperation(request_id="r1", why="Not yet."))
    await until(
        lambda: any(isinstance(act, AmendAct) and act.message_id == "op_1" for act in house.node.asked),
        "the node is told",
    )
    error = OperationError(code="cancelled", text="It was taken back.")
    assert (await ends(house, error=error)).error == error


async def test_the_wish_that_its_machine_heard_is_the_one_that_counts(house: House) -> None:
    await seen_agent(house)
    await house.client.operate(ask("stop"))
    await taken(house)
    refused = ActResult(code="busy", text="Ask again.")
    house.node.refuse = lambda act: refused if isinstance(act, AmendAct) else None
    wish = house.client.undo_operation("op_1", UndoOperation(request_id="r1", why="Not yet."))
    assert await refusal(wish) == "busy"
    house.node.refuse = lambda act: None
    await house.client.undo_operation("op_1", UndoOperation(request_id="r2", why="It works again."))
    await ends(house, error=OperationError(code="cancelled", text="It was taken back."))
    receipt = (await house.client.receipts()).receipts[-1]
    assert receipt.text == "Asked to stop it, which was taken back while it waited. Why: It works again."


@pytest.mark.parametrize("code", ["cancelled", "failed"])
async def test_what_ended_meanwhile_is_not_asked_of_its_machine(
    house: House, code: Literal["cancelled", "failed"]
) -> None:
    await seen_agent(house)
    before = await house.client.operate(ask("stop"))
    await taken(house)
    await ends(house, error=OperationError(code=code, text="It is over."))
    withdrawn = house.hub.policy._operations.withdraw(before, "kim", "Not yet.")
    if code == "cancelled":
        await withdrawn
    else:
        with pytest.raises(HubError, match="It is over"):
            await withdrawn
    assert not any(isinstance(act, AmendAct) for act in house.node.asked)


async def test_what_its_machine_does_not_have_yet_is_taken_back_here(house: House) -> None:
    await seen_agent(house)
    await house.node.go_away()

    async def is_away() -> bool:
        return not (await house.client.fleet()).machines[0].online

    await until(is_away, "the machine is away")
    await house.client.operate(ask("stop"))
    taken_back = await house.client.undo_operation("op_1", UndoOperation(request_id="r1", why="Not yet."))
    assert taken_back.state == "failed" and taken_back.error is not None
    assert taken_back.error.code == "cancelled"
    again = await house.client.undo_operation("op_1", UndoOperation(request_id="r1", why="Not yet."))
    assert again == taken_back, "who did not hear of it may ask again"


async def test_an_undo_is_an_operation_of_its_own(house: House) -> None:
    await seen_agent(house)
    await house.client.operate(ask("stop"))
    await taken(house)
    await ends(house)
    wish = UndoOperation(request_id="r1", why="It was needed.")
    undo = await house.client.undo_operation("op_1", wish)
    assert (undo.kind, undo.undoes, undo.state, undo.agent_id) == ("restart", "op_1", "queued", "agt_1")
    assert (await house.client.undo_operation("op_1", wish)).id == undo.id, "asked twice it is one"
    assert (await house.client.operation("op_1")).undone_by == undo.id
    assert (
        await refusal(house.client.undo_operation("op_1", UndoOperation(request_id="r2", why="Again.")))
        == "conflict"
    )
    await taken(house, undo.id)
    error = OperationError(code="failed", text="It ended before it was up.")
    await ends(house, undo.id, error=error)
    assert (await house.client.operation("op_1")).undone_by is None, "an undo that failed took nothing back"


async def test_the_undo_of_a_close_is_about_an_agent_that_has_left(house: House) -> None:
    await seen_agent(house)
    await house.client.operate(ask("close"))
    await taken(house)
    await house.node.drop("agt_1")

    async def has_left() -> bool:
        return await house.agent() is None

    await until(has_left, "it has left the fleet")
    await ends(house)
    undo = await house.client.undo_operation("op_1", UndoOperation(request_id="r1", why="Back."))
    assert (undo.kind, undo.agent_name) == ("restart", "shop")
    assert (await taken(house, undo.id)).agent_id == "agt_1"


async def test_the_undo_of_a_fresh_session_goes_back_to_the_old_one(house: House) -> None:
    await seen_agent(house)
    await house.client.operate(ask("fresh"))
    await taken(house)
    await house.node.put(agent_state(session_id="session-2"))
    await ends(house)
    undo = await house.client.undo_operation("op_1", UndoOperation(request_id="r1", why="Back."))
    assert (await taken(house, undo.id)).session_id == "session-1"


async def test_the_undo_of_a_rename_gives_the_old_name(house: House) -> None:
    await seen_agent(house)
    await house.client.operate(ask("rename", OperationArgs(name="pears")))
    assert (await taken(house)).name == "pears"
    await ends(house)
    undo = await house.client.undo_operation("op_1", UndoOperation(request_id="r1", why="Back."))
    assert (await taken(house, undo.id)).name == "shop"


async def test_a_restart_cannot_be_undone(house: House) -> None:
    await seen_agent(house)
    await house.client.operate(ask("restart"))
    await taken(house)
    assert (await ends(house)).undo is None
    assert (
        await refusal(house.client.undo_operation("op_1", UndoOperation(request_id="r1", why="Back.")))
        == "conflict"
    )


async def test_a_start_sends_its_first_prompt_to_the_new_agent_once(house: House) -> None:
    await seen_agent(house)
    args = OperationArgs(kind="claude", folder="/srv/pears", prompt="Look around.")
    await house.client.operate(ask("start", args, agent_id=None))
    await taken(house)
    done = await ends(house, agent_id="agt_2")
    assert done.agent_id == "agt_2"
    await house.node.put(agent_state("agt_2", name="pears"))
    await until(lambda: "op_1_prompt" in house.node.taken, "the prompt is sent")
    await house.restart()
    await house.until_agent("agt_2")
    sent = [act.id for act in house.node.asked if act.id == "op_1_prompt"]
    assert sent == ["op_1_prompt"]


async def test_a_start_tells_its_machine_all_that_was_asked_for(house: House) -> None:
    await seen_agent(house)
    args = OperationArgs(
        kind="codex", folder="/srv/pears", model="gpt-6", flags=("--search",), worktree="kim/plums"
    )
    await house.client.operate(ask("start", args, agent_id=None))
    act = await taken(house)
    assert (act.agent_kind, act.model, act.flags, act.worktree) == (
        *("codex", "gpt-6", ("--search",)),
        "kim/plums",
    )


async def test_a_lost_journal_is_said(house: House) -> None:
    await seen_agent(house)
    await house.client.operate(ask("stop"))
    await taken(house)
    await house.node.tell_operation("op_1", "agt_1", "sending")
    await until_state(house, "op_1", "running")
    await house.node.lose_journal()
    await house.restart()
    failed = await until_state(house, "op_1", "failed")
    assert failed.error is not None and "lost its journal" in failed.error.text
