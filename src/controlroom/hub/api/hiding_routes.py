"""Rows of the table of routes: what is hidden of chats, and what may be uploaded."""

from __future__ import annotations

from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Route
from controlroom.wire.client import Hidden, UploadLimits


async def get_upload_limits(parts: Parts, call: Call) -> UploadLimits:
    return parts.uploads.limits()


async def delete_item(parts: Parts, call: Call) -> Hidden:
    return await parts.hiding.hide_item(call.path["chat_id"], call.path["item"], call.caller.by)


async def restore_item(parts: Parts, call: Call) -> Hidden:
    return await parts.hiding.show_item(call.path["chat_id"], call.path["item"], call.caller.by)


async def delete_chat(parts: Parts, call: Call) -> Hidden:
    return await parts.hiding.hide_chat(call.path["chat_id"], call.caller.by)


async def restore_chat(parts: Parts, call: Call) -> Hidden:
    return await parts.hiding.show_chat(call.path["chat_id"], call.caller.by)


HIDING_ROUTES: tuple[Route, ...] = (
    Route("GET", "/uploads/limits", "How large and how many files may be.", get_upload_limits, UploadLimits),
    Route(
        "DELETE",
        "/chats/{chat_id}/items/{item}",
        "Hide an item on all devices. The agent's own file is not touched.",
        delete_item,
        Hidden,
    ),
    Route("POST", "/chats/{chat_id}/items/{item}/restore", "Show a hidden item again.", restore_item, Hidden),
    Route(
        "DELETE",
        "/chats/{chat_id}",
        "Hide everything a chat has said so far, on all devices. The agent's own file is not touched.",
        delete_chat,
        Hidden,
    ),
    Route("POST", "/chats/{chat_id}/restore", "Take the last hiding of a chat back.", restore_chat, Hidden),
)
