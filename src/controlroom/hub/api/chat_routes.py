"""Routes to read chats: pages, the search in one, the list of all."""

from __future__ import annotations

from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Parameter, Route
from controlroom.hub.errors import HubError
from controlroom.wire.client import ChatList, FoundItems
from controlroom.wire.model import Items

PAGE, LARGEST_PAGE = 50, 200


async def get_chats(parts: Parts, call: Call) -> ChatList:
    text = call.query.get("q", "")
    return await parts.finder.all(text, before=call.cursor("before"), limit=_limit(call))


async def get_chat_items(parts: Parts, call: Call) -> Items:
    return await _items(parts, call, call.path["chat_id"])


async def get_agent_chat(parts: Parts, call: Call) -> Items:
    return await _items(parts, call, await parts.chats.chat_of(call.path["agent_id"]))


async def _items(parts: Parts, call: Call, chat_id: str) -> Items:
    before, after, around = call.cursor("before"), call.cursor("after"), call.cursor("around")
    if sum(place is not None for place in (before, after, around)) > 1:
        raise HubError("bad_request", "before, after or around: only one of them can be given.")
    if around is not None:
        return await parts.finder.around(chat_id, around)
    return await parts.chats.page(chat_id, before=before, after=after, limit=_limit(call))


async def get_search(parts: Parts, call: Call) -> FoundItems:
    return await parts.finder.search(
        call.path["chat_id"],
        call.query.get("q", ""),
        before=call.cursor("before"),
        limit=_limit(call),
    )


def _limit(call: Call) -> int:
    return max(1, call.number("limit", PAGE, LARGEST_PAGE))


_LIMIT = Parameter("limit", int, f"items of a page: 1 to {LARGEST_PAGE}, {PAGE} without it")
_PAGE = (
    Parameter("before", str, "cursor of an older page, from an answer's before"),
    Parameter("after", str, "cursor behind which newer items lie, from an answer's after"),
    Parameter("around", str, "id of an item: the page that holds it, up to 200 items"),
    _LIMIT,
)

CHAT_ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/chats",
        "All chats, also older ones and those of agents that are gone; the newest word first.",
        get_chats,
        ChatList,
        query=(
            Parameter("q", str, "only those whose name, kind, folder or ids say this"),
            Parameter("before", str, "cursor for more, from an answer's before"),
            Parameter("limit", int, f"chats of a page: 1 to {LARGEST_PAGE}, {PAGE} without it"),
        ),
    ),
    Route(
        "GET",
        "/chats/{chat_id}/items",
        "A page of a chat, oldest first; the newest page without a cursor.",
        get_chat_items,
        Items,
        query=_PAGE,
    ),
    Route(
        "GET",
        "/agents/{agent_id}/chat",
        "The same of an agent's present chat.",
        get_agent_chat,
        Items,
        query=_PAGE,
    ),
    Route(
        "GET",
        "/chats/{chat_id}/search",
        "Items of the whole conversation that say a text, newest first, as far as a few seconds reach.",
        get_search,
        FoundItems,
        query=(
            Parameter("q", str, "the text, 1 to 200 characters"),
            Parameter("before", str, "search on from here, from an answer's before"),
            Parameter("limit", int, f"about how many: 1 to {LARGEST_PAGE}, {PAGE} without it"),
        ),
    ),
)
