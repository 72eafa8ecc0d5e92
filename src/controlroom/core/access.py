"""The one table of rights: what each route, socket message and relay channel needs.

The hub's API, the relay door and the reference page are all made from ``RIGHTS``; tests walk the running
applications and fail for a route that has no row here, or a row that has no route.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

API = "/api/v1"

Right = Literal[
    "open",
    "cookie",
    "paired",
    "chat",
    "answers",
    "actions",
    "terminal",
    "bridge",
    "tui",
    "voice:config",
    "voice:stt",
    "voice:tts",
    "voice:realtime",
    "local",
    "host",
]
"""``open``: nobody is asked who they are. ``cookie``: a browser's cookie is enough, its key may be lost.
``paired``: every device that lives, whatever its rights.
``local``: the relay's loopback routes, off unless ``door.loopback_routes`` (house.md section 3). ``host``:
the person at this machine, on the private socket only. The others are rights of devices."""

MEANINGS: Mapping[Right, str] = {
    "open": "everybody",
    "cookie": "a paired browser, also one that lost its key",
    "paired": "every paired device",
    "chat": "devices with `chat`: read, messages, own settings",
    "answers": "devices with `answers`: questions and prompts",
    "actions": "devices with `actions`: operations and policy",
    "terminal": "devices with `terminal`: keys and terminals",
    "bridge": "devices with `bridge`: the phone as a tool of agents",
    "tui": "devices with `tui`: the relay's text interface and desktop tools",
    "voice:config": "devices with `voice:config`",
    "voice:stt": "devices with `voice:stt`",
    "voice:tts": "devices with `voice:tts`",
    "voice:realtime": "devices with `voice:realtime`",
    "local": "programs of this machine that hold the door's secret, when `door.loopback_routes` is on",
    "host": "the person at this machine, over the private socket",
}


class Rule(NamedTuple):
    """``agents``: whether a process in an agent's pane may do it too, over the private socket.
    ``locked``: whether a browser may do it while it waits for its passkey. ``glance``: whether the token of a
    widget is enough, which may do nothing else."""

    right: Right
    agents: bool = False
    locked: bool = False
    glance: bool = False


BRIDGE_COMMANDS = (
    "GET /ping",
    "GET /screen",
    "GET /screenshot",
    "GET /get_apps",
    "GET /apps",
    "GET /current_app",
    "GET /clipboard",
    "GET /screen_hash",
    "GET /events",
    "GET /location",
    "POST /tap",
    "POST /tap_text",
    "POST /long_press",
    "POST /type",
    "POST /swipe",
    "POST /drag",
    "POST /open_app",
    "POST /return_to_hermes",
    "POST /press_key",
    "POST /scroll",
    "POST /describe_node",
    "POST /wait",
    "POST /setup",
    "POST /clipboard",
    "POST /media",
    "POST /find_nodes",
    "POST /diff_screen",
    "POST /send_intent",
    "POST /broadcast",
    "POST /events/stream",
    "POST /search_contacts",
    "POST /call",
    "POST /send_sms",
    "POST /share_media",
    "POST /send_mms",
)
"""The relay's routes by which an agent uses a phone (relay contract section 12.3)."""

RIGHTS: Mapping[str, Rule] = {
    # The hub's API; the private socket serves all of it, the doors everything but ``host``.
    f"GET {API}/health": Rule("open", agents=True),
    f"POST {API}/pair": Rule("open"),
    f"GET {API}/openapi.json": Rule("chat", agents=True),
    f"GET {API}/live": Rule("paired", agents=True),
    f"GET {API}/terminals": Rule("terminal"),
    f"GET {API}/fleet": Rule("chat", agents=True),
    f"GET {API}/receipts": Rule("chat", agents=True),
    f"GET {API}/chats": Rule("chat", agents=True),
    f"GET {API}/chats/{{chat_id}}/items": Rule("chat", agents=True),
    f"GET {API}/chats/{{chat_id}}/search": Rule("chat", agents=True),
    f"POST {API}/chats/{{chat_id}}/messages": Rule("chat"),
    f"GET {API}/agents/{{agent_id}}/chat": Rule("chat", agents=True),
    f"POST {API}/agents/{{agent_id}}/messages": Rule("chat"),
    f"DELETE {API}/chats/{{chat_id}}": Rule("chat"),
    f"POST {API}/chats/{{chat_id}}/restore": Rule("chat"),
    f"DELETE {API}/chats/{{chat_id}}/items/{{item}}": Rule("chat"),
    f"POST {API}/chats/{{chat_id}}/items/{{item}}/restore": Rule("chat"),
    f"GET {API}/uploads/limits": Rule("chat"),
    f"POST {API}/uploads": Rule("chat"),
    f"GET {API}/uploads/{{upload_id}}": Rule("chat"),
    f"GET {API}/messages/{{message_id}}": Rule("chat", agents=True),
    f"PATCH {API}/messages/{{message_id}}": Rule("chat"),
    f"DELETE {API}/messages/{{message_id}}": Rule("chat"),
    f"PATCH {API}/agents/{{agent_id}}": Rule("chat"),
    f"POST {API}/agents/{{agent_id}}/answer": Rule("answers"),
    f"POST {API}/agents/{{agent_id}}/interrupt": Rule("actions"),
    f"POST {API}/agents/{{agent_id}}/keys": Rule("terminal"),
    f"GET {API}/agents/{{agent_id}}/screen": Rule("chat", agents=True),
    f"GET {API}/agents/{{agent_id}}/scrollback": Rule("chat", agents=True),
    f"GET {API}/questions": Rule("chat", agents=True),
    f"GET {API}/questions/{{question_id}}": Rule("chat", agents=True),
    f"POST {API}/questions": Rule("answers", agents=True),
    f"POST {API}/questions/{{question_id}}/answer": Rule("answers"),
    f"POST {API}/questions/{{question_id}}/skip": Rule("answers"),
    f"POST {API}/questions/{{question_id}}/dismiss": Rule("answers"),
    f"POST {API}/questions/{{question_id}}/undo": Rule("answers"),
    f"POST {API}/questions/{{question_id}}/reopen": Rule("answers"),
    f"GET {API}/accounts": Rule("chat", agents=True),
    f"GET {API}/profiles": Rule("chat", agents=True),
    f"GET {API}/usage": Rule("chat", agents=True),
    f"POST {API}/accounts/read": Rule("chat"),
    f"GET {API}/policy": Rule("chat", agents=True),
    f"GET {API}/operations": Rule("chat", agents=True),
    f"GET {API}/operations/{{operation_id}}": Rule("chat", agents=True),
    f"POST {API}/operations": Rule("actions"),
    f"POST {API}/operations/{{operation_id}}/undo": Rule("actions"),
    f"GET {API}/glance": Rule("chat", agents=True, glance=True),
    f"GET {API}/glance-tokens": Rule("chat"),
    f"DELETE {API}/glance-tokens/{{token_id}}": Rule("chat"),
    f"POST {API}/host/glance-tokens": Rule("host"),
    f"GET {API}/push/key": Rule("chat"),
    f"GET {API}/push/subscriptions": Rule("chat"),
    f"POST {API}/push/subscriptions": Rule("chat"),
    f"DELETE {API}/push/subscriptions/{{subscription}}": Rule("chat"),
    f"POST {API}/push/test": Rule("chat"),
    f"GET {API}/notifications": Rule("chat"),
    f"GET {API}/notifications/settings": Rule("chat"),
    f"PATCH {API}/notifications/settings": Rule("chat"),
    f"POST {API}/notifications/snooze": Rule("chat"),
    f"GET {API}/notifications/{{notification_id}}": Rule("chat"),
    f"PUT {API}/pause": Rule("actions"),
    f"GET {API}/status": Rule("chat"),
    f"GET {API}/devices": Rule("paired"),
    f"PATCH {API}/devices/{{device}}": Rule("chat"),
    f"DELETE {API}/devices/{{device}}": Rule("paired", locked=True),  # itself; others once it is unlocked
    f"POST {API}/unlock/register/options": Rule("paired"),
    f"POST {API}/unlock/register": Rule("paired"),
    f"POST {API}/unlock/options": Rule("cookie", locked=True),
    f"POST {API}/unlock": Rule("cookie", locked=True),
    f"DELETE {API}/unlock/passkeys/{{passkey}}": Rule("paired"),
    f"POST {API}/lock": Rule("paired", locked=True),
    f"GET {API}/host/status": Rule("host"),
    f"POST {API}/host/pair": Rule("host"),
    f"GET {API}/host/pairings": Rule("host"),
    f"POST {API}/host/pairings/approve": Rule("host"),
    f"POST {API}/host/devices/{{device}}/extend": Rule("host"),
    # Messages of the live socket.
    "live hello": Rule("chat", agents=True),
    "live open": Rule("chat", agents=True),
    "live close": Rule("chat", agents=True),
    "live watch": Rule("chat", agents=True),
    "live unwatch": Rule("chat", agents=True),
    "live keys": Rule("terminal"),
    "live seen": Rule("chat"),
    "live pong": Rule("chat", agents=True, locked=True),
    "live prove": Rule("chat", agents=True),
    # Channels of the relay's socket, once a device has said who it is.
    "relay system": Rule("paired"),
    "relay chat": Rule("chat"),
    "relay terminal": Rule("terminal"),
    "relay bridge": Rule("bridge"),
    "relay tui": Rule("tui"),
    "relay notifications": Rule("chat"),
    "relay proactive": Rule("chat"),
    "relay desktop": Rule("tui"),
    # The relay's routes.
    "GET /": Rule("open"),
    "GET /ws": Rule("open"),
    "GET /health": Rule("open"),
    "GET /relay/info": Rule("paired"),
    "GET /relay/update-check": Rule("paired"),
    "GET /context/injected": Rule("paired"),
    "GET /sessions": Rule("paired"),
    "PATCH /sessions/{prefix}": Rule("paired"),
    "DELETE /sessions/{prefix}": Rule("paired"),
    "POST /pairing/register": Rule("local"),
    "POST /pairing/mint": Rule("local"),
    "POST /pairing/approve": Rule("local"),
    "GET /api/profiles/{name}/config": Rule("chat"),
    "GET /api/profiles/{name}/skills": Rule("chat"),
    "GET /api/profiles/{name}/soul": Rule("chat"),
    "GET /api/profiles/{name}/memory": Rule("chat"),
    "GET /api/profiles/{name}/avatar": Rule("chat"),
    "PUT /api/profiles/{name}/soul": Rule("chat"),
    "PUT /api/profiles/{name}/memory/{filename}": Rule("chat"),
    "POST /media/register": Rule("local"),
    "GET /media/inspect": Rule("local"),
    "POST /media/upload": Rule("chat"),
    "GET /media/by-path": Rule("chat"),
    "GET /media/{token}": Rule("chat"),
    "GET /bridge/status": Rule("local"),
    "GET /bridge/devices": Rule("local"),
    "POST /bridge/select-active": Rule("local"),
    **{command: Rule("bridge") for command in BRIDGE_COMMANDS},
    # The app's files.
    "GET /app": Rule("open"),
    "GET /app/{path}": Rule("open"),
}
"""By method and path as they are registered, ``live MESSAGE``, or ``relay CHANNEL``."""


def rule_of(subject: str) -> Rule:
    """The rule of one subject; a subject without one is a bug (KeyError), never open."""
    return RIGHTS[subject]
