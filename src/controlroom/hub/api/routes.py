"""The table of REST routes: path, body, answer and handler of each; their rights are in ``core.access``.

The application, the doors and the OpenAPI page are all made from it.
"""

from __future__ import annotations

from controlroom.hub.api.device_routes import DEVICE_ROUTES
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.hiding_routes import HIDING_ROUTES
from controlroom.hub.api.route import Call, Parameter, Route
from controlroom.hub.errors import HubError
from controlroom.hub.api.unlock_routes import UNLOCK_ROUTES
from controlroom.hub.marks import set_marks
from controlroom.wire.client import (
    Accepted,
    AnswerDialog,
    Done,
    Interrupt,
    PatchAgent,
    PatchMessage,
    PressKeys,
    Receipts,
    SendMessage,
    Status,
)
from controlroom.wire.model import Agent, Fleet, Items, Message, Screen

PAGE, LARGEST_PAGE = 50, 200


async def get_fleet(parts: Parts, call: Call) -> Fleet:
    return parts.fleet()


async def get_status(parts: Parts, call: Call) -> Status:
    return parts.status()


async def get_receipts(parts: Parts, call: Call) -> Receipts:
    return await parts.receipts.page(call.number("after", 0, 2**62))


async def get_chat_items(parts: Parts, call: Call) -> Items:
    return await _items(parts, call, call.path["chat_id"])


async def get_agent_chat(parts: Parts, call: Call) -> Items:
    return await _items(parts, call, await parts.chats.chat_of(call.path["agent_id"]))


async def _items(parts: Parts, call: Call, chat_id: str) -> Items:
    before, after = call.cursor("before"), call.cursor("after")
    if before is not None and after is not None:
        raise HubError("bad_request", "before or after: only one of them can be given.")
    limit = max(1, call.number("limit", PAGE, LARGEST_PAGE))
    return await parts.chats.page(chat_id, before=before, after=after, limit=limit)


async def post_chat_message(parts: Parts, call: Call) -> Accepted:
    assert isinstance(call.body, SendMessage)
    return await parts.messages.post_to_chat(call.path["chat_id"], call.body, call.caller.by)


async def post_agent_message(parts: Parts, call: Call) -> Accepted:
    assert isinstance(call.body, SendMessage)
    return await parts.messages.post_to_agent(call.path["agent_id"], call.body, call.caller.by)


async def get_message(parts: Parts, call: Call) -> Message:
    return await parts.messages.get(call.path["message_id"])


async def patch_message(parts: Parts, call: Call) -> Message:
    assert isinstance(call.body, PatchMessage)
    return await parts.messages.patch(call.path["message_id"], call.body)


async def delete_message(parts: Parts, call: Call) -> Message:
    return await parts.messages.take_back(call.path["message_id"])


async def patch_agent(parts: Parts, call: Call) -> Agent:
    assert isinstance(call.body, PatchAgent)
    return await set_marks(parts.store, call.path["agent_id"], call.body)


async def post_answer(parts: Parts, call: Call) -> Done:
    assert isinstance(call.body, AnswerDialog)
    return await parts.acts.answer(call.path["agent_id"], call.body, call.caller.by)


async def post_interrupt(parts: Parts, call: Call) -> Done:
    assert isinstance(call.body, Interrupt)
    return await parts.acts.interrupt(call.path["agent_id"], call.body, call.caller.by)


async def post_keys(parts: Parts, call: Call) -> Done:
    assert isinstance(call.body, PressKeys)
    return await parts.acts.keys(call.path["agent_id"], call.body, call.caller.by)


async def get_screen(parts: Parts, call: Call) -> Screen:
    return await parts.acts.screen(call.path["agent_id"])


_PAGE = (
    Parameter("before", str, "cursor of an older page, from an answer's before"),
    Parameter("after", str, "cursor behind which newer items lie, from an answer's after"),
    Parameter("limit", int, f"items of a page: 1 to {LARGEST_PAGE}, {PAGE} without it"),
)
_AFTER = (Parameter("after", int, "only what has a seq greater than this"),)

ROUTES: tuple[Route, ...] = (
    Route("GET", "/fleet", "All machines and agents.", get_fleet, Fleet),
    Route("GET", "/status", "What runs, and what troubles it.", get_status, Status),
    Route("GET", "/host/status", "What runs here, and what troubles it.", get_status, Status),
    Route("GET", "/receipts", "Who did what, oldest first.", get_receipts, Receipts, query=_AFTER),
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
        "POST",
        "/chats/{chat_id}/messages",
        "Send a message to a chat's agent. It is stored, and goes out when the agent can take it.",
        post_chat_message,
        Accepted,
        body=SendMessage,
        status=202,
    ),
    Route(
        "POST",
        "/agents/{agent_id}/messages",
        "Send a message to an agent's present chat.",
        post_agent_message,
        Accepted,
        body=SendMessage,
        status=202,
    ),
    Route("GET", "/messages/{message_id}", "What became of a message.", get_message, Message),
    Route(
        "PATCH",
        "/messages/{message_id}",
        "Change a message that has not been typed yet.",
        patch_message,
        Message,
        body=PatchMessage,
    ),
    Route(
        "DELETE",
        "/messages/{message_id}",
        "Take back a message that has not been typed yet.",
        delete_message,
        Message,
    ),
    Route(
        "PATCH",
        "/agents/{agent_id}",
        "Pin, mute or archive an agent.",
        patch_agent,
    Route(
        "GET",
        "/agents/{agent_id}/scrollback",
        "The end of the pane's history with its screen, read now.",
        get_scrollback,
        Scrollback,
        query=(Parameter("lines", int, f"rows: 1 to {LARGEST_HISTORY}, {HISTORY} without it"),),
    ),
    *HIDING_ROUTES,
        Agent,
        body=PatchAgent,
    ),
    Route(
        "POST",
        "/agents/{agent_id}/answer",
        "Answer the dialog that was seen; it is read again right before.",
        post_answer,
        Done,
        body=AnswerDialog,
        status=202,
    ),
    Route(
        "POST",
        "/agents/{agent_id}/interrupt",
        "End the running turn.",
        post_interrupt,
        Done,
        body=Interrupt,
        status=202,
    ),
    Route(
        "POST",
        "/agents/{agent_id}/keys",
        "Press keys in the agent's pane; while a dialog is open, only on the screen that was seen.",
        post_keys,
        Done,
        body=PressKeys,
        status=202,
    ),
    Route("GET", "/agents/{agent_id}/screen", "The agent's screen now.", get_screen, Screen),
    *DEVICE_ROUTES,
    *UNLOCK_ROUTES,
)
