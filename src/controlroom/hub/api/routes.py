"""The table of REST routes: path, body, answer and handler of each; their rights are in ``core.access``.

The application, the doors and the OpenAPI page are all made from it.
"""

from __future__ import annotations

from controlroom.hub.api.chat_routes import CHAT_ROUTES
from controlroom.hub.api.device_routes import DEVICE_ROUTES
from controlroom.hub.api.glance_routes import GLANCE_ROUTES
from controlroom.hub.api.hiding_routes import HIDING_ROUTES
from controlroom.hub.api.notification_routes import NOTIFICATION_ROUTES
from controlroom.hub.api.operation_routes import OPERATION_ROUTES
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.policy_routes import POLICY_ROUTES
from controlroom.hub.api.push_routes import PUSH_ROUTES
from controlroom.hub.api.question_routes import QUESTION_ROUTES
from controlroom.hub.api.receipt_routes import RECEIPT_ROUTES
from controlroom.hub.api.route import Call, Parameter, Route
from controlroom.hub.api.unlock_routes import UNLOCK_ROUTES
from controlroom.hub.api.usage_routes import USAGE_ROUTES
from controlroom.hub.marks import set_marks
from controlroom.wire.client import (
    Accepted,
    AnswerDialog,
    Done,
    Interrupt,
    PatchAgent,
    PatchMessage,
    PressKeys,
    SendMessage,
    Status,
)
from controlroom.wire.model import Agent, Fleet, Message, Screen, Scrollback

HISTORY, LARGEST_HISTORY = 500, 2_000


async def get_fleet(parts: Parts, call: Call) -> Fleet:
    return parts.fleet()


async def get_status(parts: Parts, call: Call) -> Status:
    return parts.status()


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


async def get_scrollback(parts: Parts, call: Call) -> Scrollback:
    lines = max(1, call.number("lines", HISTORY, LARGEST_HISTORY))
    return await parts.acts.scrollback(call.path["agent_id"], lines)


ROUTES: tuple[Route, ...] = (
    Route("GET", "/fleet", "All machines and agents.", get_fleet, Fleet),
    Route("GET", "/status", "What runs, and what troubles it.", get_status, Status),
    Route("GET", "/host/status", "What runs here, and what troubles it.", get_status, Status),
    *RECEIPT_ROUTES,
    *CHAT_ROUTES,
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
    Route(
        "GET",
        "/agents/{agent_id}/scrollback",
        "The end of the pane's history with its screen, read now.",
        get_scrollback,
        Scrollback,
        query=(Parameter("lines", int, f"rows: 1 to {LARGEST_HISTORY}, {HISTORY} without it"),),
    ),
    *QUESTION_ROUTES,
    *OPERATION_ROUTES,
    *USAGE_ROUTES,
    *POLICY_ROUTES,
    *NOTIFICATION_ROUTES,
    *HIDING_ROUTES,
    *DEVICE_ROUTES,
    *PUSH_ROUTES,
    *GLANCE_ROUTES,
    *UNLOCK_ROUTES,
)
