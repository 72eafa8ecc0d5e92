"""Rows of the table of routes: operations on agents."""

from __future__ import annotations

from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Parameter, Route
from controlroom.hub.errors import HubError
from controlroom.wire.operation import AskOperation, Operation, Operations, UndoOperation

_PAGE, _LARGEST_PAGE, _ANY_SEQ = 100, 500, 2**62


async def get_operations(parts: Parts, call: Call) -> Operations:
    if "before" not in call.query:
        return await parts.operations.page(call.number("after", 0, _ANY_SEQ))
    if "after" in call.query:
        raise HubError("bad_request", "before or after: only one of them can be given.")
    before = call.number("before", _ANY_SEQ, _ANY_SEQ)
    return await parts.operations.page_before(before, call.number("limit", _PAGE, _LARGEST_PAGE))


async def get_operation(parts: Parts, call: Call) -> Operation:
    return await parts.operations.get(call.path["operation_id"])


async def post_operation(parts: Parts, call: Call) -> Operation:
    assert isinstance(call.body, AskOperation)
    return await parts.operations.ask(call.body, call.caller.by)


async def post_undo(parts: Parts, call: Call) -> Operation:
    assert isinstance(call.body, UndoOperation)
    return await parts.operations.undo(call.path["operation_id"], call.body, call.caller.by)


OPERATION_ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/operations",
        "Operations by their last change, oldest first: from a seq on, or the newest ones before it.",
        get_operations,
        Operations,
        query=(
            Parameter("after", int, "only those that changed behind this seq"),
            Parameter("before", int, "the newest ones with a seq smaller than this; more: older ones follow"),
            Parameter("limit", int, f"with before, how many: 1 to {_LARGEST_PAGE}, {_PAGE} without it"),
        ),
    ),
    Route("GET", "/operations/{operation_id}", "One operation, with its steps.", get_operation, Operation),
    Route(
        "POST",
        "/operations",
        "Start, restart, move, stop, close or rename an agent, or give it a fresh session; once for its id.",
        post_operation,
        Operation,
        body=AskOperation,
        status=202,
    ),
    Route(
        "POST",
        "/operations/{operation_id}/undo",
        "Take an operation back: while it waits by ending it, else by another one, which is the answer.",
        post_undo,
        Operation,
        body=UndoOperation,
        status=202,
    ),
)
