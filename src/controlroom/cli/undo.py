"""``controlroom undo``: take an operation back, or a skip, a dismissal or an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controlroom.cli.command import Call, undoable_argument
from controlroom.cli.command import command as declare
from controlroom.cli.errors import CliError, wrong_use
from controlroom.cli.question_acts import act_on, why_option

if TYPE_CHECKING:
    from controlroom.client import HubClient

PREFIX = "op_"
NEWEST = 200  # how far back beginnings of ids are looked for


@declare(
    "undo",
    examples="""
    controlroom undo q_3fa9
    controlroom undo op_51c0 --why "It was still needed"
    """,
)
@undoable_argument()
@why_option()
def command(call: Call, undoable: str, why: str | None) -> None:
    """Take back an operation; or a skip, a dismissal, or an answer that is not typed yet.

    An operation (op_…) that still waits is ended; one that is done is taken back by another one, as far and
    as long as "controlroom operations" says so. It needs --why. A question is open again then.
    """
    if not undoable.strip().startswith(PREFIX):
        act_on(call, "undo", undoable, why)
        return
    if why is None:
        raise wrong_use("--why: say why; it stands in the receipt.")
    call.hub(lambda hub: _undo(call, hub, undoable.strip(), why))


async def _undo(call: Call, hub: HubClient, said: str, why: str) -> None:
    from controlroom.cli.operation_acts import follow, leave
    from controlroom.kit.clock import new_id
    from controlroom.wire.operation import UndoOperation

    id = await _find(hub, said)
    undo = await hub.undo_operation(id, UndoOperation(request_id=new_id("req"), why=why))
    ended = await follow(call, hub, undo, no_wait=False)
    if undo.id != id:
        leave(ended)


async def _find(hub: HubClient, said: str) -> str:
    """The one operation whose id begins so. Raises CliError."""
    from controlroom.cli import text

    known = [operation.id for operation in (await hub.newest_operations(limit=NEWEST)).operations]
    found = [id for id in known if id.startswith(said)]
    if said in known or not found:
        return said  # the hub knows older ones too, and says when there is none
    if len(found) > 1:
        raise wrong_use(f"{text.line(said, 80)!r} fits several operations: {', '.join(found[:8])}.")
    if len(said) <= len(PREFIX):
        raise CliError("Say which operation. See: controlroom operations", "bad_request")
    return found[0]
