"""The route of receipts."""

from __future__ import annotations

from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Parameter, Route
from controlroom.hub.errors import HubError
from controlroom.wire.client import Receipts

_PAGE, _LARGEST_PAGE, _ANY_SEQ = 100, 500, 2**62


async def get_receipts(parts: Parts, call: Call) -> Receipts:
    if "before" not in call.query:
        return await parts.receipts.page(call.number("after", 0, _ANY_SEQ))
    if "after" in call.query:
        raise HubError("bad_request", "before or after: only one of them can be given.")
    before = call.number("before", _ANY_SEQ, _ANY_SEQ)
    return await parts.receipts.page_before(before, call.number("limit", _PAGE, _LARGEST_PAGE))


RECEIPT_ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/receipts",
        "Who did what, oldest first: from a seq on, or the newest ones before it.",
        get_receipts,
        Receipts,
        query=(
            Parameter("after", int, "only what has a seq greater than this"),
            Parameter("before", int, "the newest ones with a seq smaller than this; more: older ones follow"),
            Parameter("limit", int, f"with before, how many: 1 to {_LARGEST_PAGE}, {_PAGE} without it"),
        ),
    ),
)
