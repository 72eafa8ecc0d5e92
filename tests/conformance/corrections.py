"""Where we answer differently from the recordings, on purpose: line by line, each with its difference.

The names of differences are the rows of ``docs/reference/relay-differences.md``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.conformance.recording import DAY_S, Recording, Row

Change = Callable[[Row], Row | None]


@dataclass(frozen=True)
class Correction:
    """``change``: the recorded row as it is with us; None when there is nothing to wait for any more."""

    difference: str
    change: Change


def payload(difference: str, **fields: object) -> Correction:
    """Other fields of a frame's payload; ``None`` takes one away."""

    def change(row: Row) -> Row:
        message = row["message"]
        new = {**message["payload"], **fields}
        kept = {key: value for key, value in new.items() if value is not None or key not in fields}
        return {**row, "message": {**message, "payload": kept}}

    return Correction(difference, change)


def frame(
    difference: str, type_: str, body: Mapping[str, object], *, channel: str | None = None
) -> Correction:
    """Another frame instead."""

    def change(row: Row) -> Row:
        message = row.get("message", {"channel": "system", "id": ""})
        new = {**message, "channel": channel or message["channel"], "type": type_, "payload": body}
        return {**row, "kind": "ws_recv", "message": new}

    return Correction(difference, change)


def closed(difference: str, code: int) -> Correction:
    """The socket is closed instead."""
    return Correction(
        difference, lambda row: {"kind": "ws_closed_by_server", "conn": row["conn"], "close_code": code}
    )


def answer(difference: str, status: int, body: object) -> Correction:
    """Another HTTP answer instead."""

    def change(row: Row) -> Row:
        return {**row, "reason": None, "status": status, "response_body": body}

    return Correction(difference, change)


def body(difference: str, **fields: object) -> Correction:
    """Other fields of a JSON answer; ``None`` takes one away."""

    def change(row: Row) -> Row:
        new = {**row["response_body"], **fields}
        kept = {key: value for key, value in new.items() if value is not None or key not in fields}
        return {**row, "response_body": kept}

    return Correction(difference, change)


def asked(difference: str, **fields: object) -> Correction:
    """The recording leaves out a part of the request."""
    return Correction(difference, lambda row: {**row, **fields})


def nothing(difference: str) -> Correction:
    return Correction(difference, lambda row: None)


def as_recorded(difference: str) -> Correction:
    """The difference does not show in the shape of the answer."""
    return Correction(difference, lambda row: row)


REFUSED = {"reason": "Invalid pairing code or session token"}
DEFAULT_CONFIG = {
    "description": "Root agent for wire capture",
    "model": {"default": "test/model-a", "api_key": "[redacted]"},
    "tts": {"provider": "edge"},
    "stt": {"provider": "local"},
}
RESEARCHER_CONFIG = {
    "model": {"default": "test/model-b"},
    "platforms": {"api_server": {"enabled": True, "host": "127.0.0.1", "port": 18643, "key": "[redacted]"}},
}
CAPABILITIES = ["media", "proactive", "profiles", "terminal"]
UNAUTHORISED = "Authorization: Bearer <session_token> required"
SHELL_ROW = {
    "name": "hermes-dev-aaa-tab1",
    "tmux_name": "hermes-hermes-dev-aaa-tab1",
    "attached": 0,
    "windows": 1,
    "created_at": 1796036786,
    "shell": "/bin/bash",
    "live": False,
    "owned_by_client": False,
}

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
REDUCED_S = 1796037518.2335048  # security_findings: one minute after the reduction


def _expired(right: str) -> dict[str, object]:
    return {"message": f"{right} grant expired for this device"}


def _grants(session_s: float, **other_s: float) -> dict[str, float]:
    """Grants that end with the session, some by so many seconds earlier."""
    names = ["chat", "terminal", "bridge", "tui", "voice:config", "voice:stt", "voice:tts", "voice:realtime"]
    return {name: session_s + other_s.get(name, 0) for name in names}


def _inside(row: Row) -> Row:
    """Paths within the profile only: where a home folder lies is nobody's business on a phone."""
    text = json.dumps(row["response_body"])
    text = re.sub(r"/home/dev/relay/[.]hermes/(profiles/researcher/)?", "", text)
    return {**row, "response_body": json.loads(text)}


def _default_auth_ok(now_s: float) -> dict[str, object]:
    """What a pairing without any metadata gets."""
    session_s = now_s + 30 * DAY_S
    return {
        "session_token": "00000000-0000-4000-8000-00000000ffff",
        "server_version": "1.9.0",
        "profiles": [],
        "expires_at": session_s,
        "grants": _grants(session_s, bridge=-23 * DAY_S),
        "transport_hint": "ws",
        "client_surface": "android",
        "device_form_factor": "phone",
        "refresh_token": "0" * 43,
    }


CORRECTIONS: Mapping[str, Mapping[int, Correction]] = {
    "auth_envelopes": {
        34: payload("tokens-are-hashed", refresh_token=None),
        48: as_recorded("refresh-grace"),
    },
    "desktop_cli_transcript": {
        **{line: payload("tokens-are-hashed", refresh_token=None) for line in (12, 32, 55)},
        45: body("only-what-exists", capabilities=CAPABILITIES),
        59: frame("terminal-list", "terminal.sessions", {"sessions": [], "tmux_available": True}),
    },
    "error_paths": {
        112: frame("first-frame", "auth.fail", {"reason": "Invalid message format"}, channel="system"),
        113: closed("first-frame", 1000),
        117: frame("first-frame", "auth.fail", REFUSED, channel="system"),
        118: closed("first-frame", 1000),
        143: body("only-what-exists", secure_link=None),
        270: nothing("random-prefixes"),
        271: nothing("random-prefixes"),
        275: closed("revoking-closes", 1008),
        276: nothing("revoking-closes"),
        290: frame("rights-everywhere", "error", _expired("Chat"), channel="system"),
        292: frame("rights-everywhere", "error", _expired("Tui"), channel="system"),
        294: nothing("rights-everywhere"),
    },
    "http_routes": {
        6: body("only-what-exists", secure_link=None),
        7: body("only-what-exists", capabilities=CAPABILITIES),
        8: body("only-what-exists", capabilities=CAPABILITIES),
        17: as_recorded("integers-in-qr"),
        18: as_recorded("integers-in-qr"),
        44: answer(
            "strict-by-default", 403, "path is not under an allowed root: '/usr/local/share/hr-cap-test.txt'"
        ),
        68: body("profiles-without-secrets", config=DEFAULT_CONFIG),
        72: body("profiles-without-secrets", config=RESEARCHER_CONFIG),
        **{line: Correction("profiles-without-secrets", _inside) for line in (90, 91, 93, 94, 95)},
        113: nothing("read-only-profiles"),
        129: answer("no-injected-context", 200, {"enabled": False, "blocks": []}),
        131: body("no-update-check", error="This control room does not look for updates."),
    },
    "limits": {
        11: body("media-texts", error="upload too large (max 1048576 bytes)"),
        17: asked(
            "recording-gap",
            path="/media/by-path?path=/home/dev/relay/files/note.txt",
            request_headers={
                "Range": "bytes=2-4",
                "Authorization": "Bearer 1181ebf8-75bb-47ea-a2eb-5689bf84da17",
            },
        ),
    },
    "restart": {
        20: answer("survives-restart", 200, {"base64": PIXEL, "bytes": 70}),
        33: frame("survives-restart", "auth.ok", _default_auth_ok(1796037069.0), channel="system"),
        34: nothing("survives-restart"),
    },
    "security_findings": {
        2: answer("loopback-is-no-proof", 403, "/pairing/register is restricted to localhost callers"),
        3: answer("loopback-is-no-proof", 401, UNAUTHORISED),
        4: answer("loopback-is-no-proof", 401, UNAUTHORISED),
        7: answer("loopback-is-no-proof", 403, "/pairing/register is restricted to localhost callers"),
        8: body("only-what-exists", secure_link=None),
        18: payload(
            "refresh-renews-nothing", expires_at=REDUCED_S, grants=_grants(REDUCED_S, terminal=5 - 60)
        ),
        29: frame("refresh-renews-nothing", "auth.fail", REFUSED, channel="system"),
        30: closed("refresh-renews-nothing", 1000),
        36: answer("rights-everywhere", 403, "chat grant required"),
        39: answer("rights-everywhere", 403, "chat grant required"),
        42: frame("rights-everywhere", "error", _expired("Chat"), channel="system"),
        43: nothing("rights-everywhere"),
        48: closed("revoking-closes", 1008),
        64: nothing("later-routes"),
        **{line: payload("tokens-are-hashed", refresh_token=None) for line in (80, 88, 96, 104, 112)},
    },
    "session_transcript": {
        24: frame("terminal-list", "terminal.sessions", {"sessions": [SHELL_ROW], "tmux_available": True}),
        29: payload("tokens-are-hashed", refresh_token=None),
        43: payload("detached-reasons", reason="client kill"),
        51: closed("revoking-closes", 1008),
        52: nothing("revoking-closes"),
        54: nothing("revoking-closes"),
        55: nothing("revoking-closes"),
    },
    "terminal_edge": {
        22: payload("errors-name-the-session", session_name="s5"),
        24: payload("errors-name-the-session", session_name="s4"),
        29: payload("errors-name-the-session", session_name="s6"),
        41: payload("detached-reasons", reason="eof"),
        77: payload("detached-reasons", reason="client kill"),
        79: payload("detached-reasons", reason="client kill"),
    },
}

# Routes of features that come later: nobody is there to refuse anything.
LATER_ROUTES = (
    "/bridge/activity",
    "/chat/image-activity",
    "/clipboard/inbox",
    "/desktop/",
    "/notifications/recent",
    "/phone/",
    "/relay/model-capabilities",
    "/relay/security",
    "/voice/",
)


READ_ONLY = {"error": "read_only", "detail": "Profiles are read only here: change them on the host."}


def corrections_of(recording: Recording) -> dict[int, Correction]:
    """The corrections of a recording by line."""
    found = dict(CORRECTIONS.get(recording.name, {}))
    for line, _, row in recording.rows:
        if row["kind"] != "http":
            continue
        if row["path"].startswith(LATER_ROUTES):
            found.setdefault(line, answer("later-routes", 404, None))
        elif row["method"] == "PUT" and row["status"] != 401:
            found.setdefault(line, answer("read-only-profiles", 403, READ_ONLY))
    return found
