"""Moves through a whole hub over a fake node: which profile is meant, receipts, and the way back."""

from __future__ import annotations

import pytest

from controlroom.client import Refused
from controlroom.wire.node import OperateAct
from controlroom.wire.operation import AskOperation, Operation, OperationArgs, OperationError, UndoOperation
from tests.integration.hub.conftest import House
from tests.integration.hub.policy_house import tell
from tests.support.waiting import until

WHY = "Its week is nearly over."


def ask(profile: str | None, id: str = "op_1") -> AskOperation:
    return AskOperation(
        id=id, kind="move", why=WHY, agent_id="agt_1", args=OperationArgs(profile=profile, when="now")
    )


async def ready(house: House) -> None:
    await tell(house, {"work": 40, "home": 40})
    await house.until_agent(profile="/work")

    async def are_known() -> bool:
        return len(await house.client.profiles()) == 2

    await until(are_known, "both profiles are known")


async def taken(house: House, id: str = "op_1") -> OperateAct:
    await until(lambda: id in house.node.taken, f"the node has {id}")
    act = house.node.taken[id]
    assert isinstance(act, OperateAct)
    return act


async def ends(house: House, id: str = "op_1", error: OperationError | None = None) -> Operation:
    await house.node.tell_operation(id, "agt_1", "delivered" if error is None else "failed", error=error)

    async def is_over() -> Operation | None:
        found = await house.client.operation(id)
        return found if found.state in ("delivered", "failed") else None

    return await until(is_over, f"{id} is over")


@pytest.mark.parametrize("said", ["prf_home", "Home", "/home"])
async def test_a_profile_is_meant_by_id_name_or_folder(house: House, said: str) -> None:
    await ready(house)
    asked = await house.client.operate(ask(said))
    assert (asked.args.profile, asked.profile_name) == ("prf_home", "home")
    act = await taken(house)
    assert (act.kind, act.profile, act.when) == ("move", "/home", "now")
    done = await ends(house)
    assert done.undo is not None and done.undo.what == "Move it back to the profile in which it was."
    assert [one.text for one in (await house.client.receipts()).receipts] == [
        f"Asked for a move to profile home, now. Why: {WHY}",
        f"Moved to profile home. Why: {WHY}",
    ]


async def test_its_undo_is_a_move_back(house: House) -> None:
    await ready(house)
    await house.client.operate(ask("home"))
    await taken(house)
    await tell(house, {"work": 40, "home": 40}, profile="/home")
    await house.until_agent(profile="/home")
    await ends(house)
    undo = await house.client.undo_operation("op_1", UndoOperation(request_id="r1", why="Back."))
    assert (undo.kind, undo.profile_name, undo.args.when) == ("move", "work", "idle")
    assert (await taken(house, undo.id)).profile == "/work"


async def test_one_that_failed_cannot_be_taken_back(house: House) -> None:
    await ready(house)
    await house.client.operate(ask("home"))
    await taken(house)
    error = OperationError(code="failed", text="The disk is full.")
    failed = await ends(house, error=error)
    assert (failed.undo, failed.error) == (None, error)
    last = (await house.client.receipts()).receipts[-1]
    assert last.text == f"Asked for a move to profile home, which failed: The disk is full. Why: {WHY}"


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        (None, "bad_request", "needs profile"),
        ("away", "not_found", "there are: work, home."),
        ("/nowhere", "not_found", "there are:"),
        ("work", "conflict", "already"),
    ],
)
async def test_what_cannot_be_is_refused(house: House, said: str | None, code: str, words: str) -> None:
    await ready(house)
    with pytest.raises(Refused) as caught:
        await house.client.operate(ask(said))
    assert caught.value.code == code
    assert words in caught.value.text
    assert (await house.client.operations()).operations == ()
