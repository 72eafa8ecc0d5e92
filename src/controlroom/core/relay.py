"""The machine of one relay socket: from the upgrade to the close, without sockets, clock or device book.

Theory. A socket waits for its first text frame (``waiting``), which must be ``system/auth``. Its credentials
are then tried one after the other (``trying``): session token, refresh token, pairing code; the first that
works opens the socket (``open``) and the later ones are not used up. Every way out (``closed``) has one
``auth.fail`` or a close code of its own. While credentials are tried the shell reads no further frame.

Who may cause what: only ``Accepted`` opens a socket, and it can only follow a ``Try`` of this machine. An
``open`` socket hands a channel's message on only while its device lives and holds the channel's right at that
very moment. What must never happen: a channel message before auth, anything after ``Close``, an exception
from a frame, however odd it is.

Source: relay contract sections 4 and 5; deliberate differences in docs/reference/relay-differences.md.
Times are Unix milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from controlroom.core.rights import Grants, is_active
from controlroom.core.text import clean_line

CredentialKind = Literal["session_token", "refresh_token", "pairing_code"]
State = Literal["waiting", "trying", "open", "closed"]

AUTH_TIMEOUT_S: Final = 30.0
LONGEST_FIRST_FRAME: Final = 64 * 1024  # a real one has less than 2 kB
LONGEST_CREDENTIAL: Final = 512
LONGEST_ID: Final = 256
NAME_LIMIT: Final = 80

REFUSED: Final = "Invalid pairing code or session token"
BAD_FORMAT: Final = "Invalid message format"
NOT_AUTH: Final = "First message must be system/auth"
TIMED_OUT: Final = "Authentication timeout"
SHUTDOWN: Final = "server shutdown"

NORMAL_CLOSE, GOING_AWAY, POLICY, TRY_AGAIN = 1000, 1001, 1008, 1013

# The counters of the limiter: a refresh token counts as a session credential (contract section 7).
BUCKETS: Final[Mapping[CredentialKind, Literal["session", "pairing"]]] = {
    "session_token": "session",
    "refresh_token": "session",
    "pairing_code": "pairing",
}


class Credential(msgspec.Struct, frozen=True):
    """One way in that the device showed."""

    kind: CredentialKind
    secret: str


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """How the device introduced itself; limited, one line each. "" = not said."""

    name: str = ""
    device_id: str = ""
    model: str = ""
    platform: str = ""
    surface: str = ""
    form_factor: str = ""
    sent_refresh_token: bool = False


class Rights(msgspec.Struct, frozen=True):
    """What the machine needs to know of a device."""

    expires_ms: int | None
    grants: Grants

    def may(self, right: str | None, now_ms: int) -> bool:
        """Whether the session lives and, when a right is named, holds it."""
        if self.expires_ms is not None and now_ms > self.expires_ms:
            return False
        return right is None or is_active(self.grants, right, now_ms)


# Events


class Text(msgspec.Struct, frozen=True):
    """A text frame arrived."""

    data: str | bytes
    now_ms: int


class AuthTimeout(msgspec.Struct, frozen=True):
    """``AUTH_TIMEOUT_S`` have passed since the upgrade."""


class Accepted(msgspec.Struct, frozen=True):
    """The credential that was tried last works. ``answer``: the payload of ``auth.ok``."""

    rights: Rights
    answer: Mapping[str, object]


class Refused(msgspec.Struct, frozen=True):
    """The credential that was tried last does not work."""


class Unavailable(msgspec.Struct, frozen=True):
    """Nobody can tell now whether the credential works (the device book is broken or too slow)."""


class Blocked(msgspec.Struct, frozen=True):
    """Too many failures came from this peer since the upgrade; its credentials are not even tried."""


class Changed(msgspec.Struct, frozen=True):
    """The device's rights are other ones now."""

    rights: Rights


class Ended(msgspec.Struct, frozen=True):
    """The device was revoked or replaced, or its time is over."""

    is_expired: bool = False


class ShuttingDown(msgspec.Struct, frozen=True):
    """The server stops."""


Event = Text | AuthTimeout | Accepted | Refused | Unavailable | Blocked | Changed | Ended | ShuttingDown


# Effects


class Send(msgspec.Struct, frozen=True):
    """Send an envelope. ``id`` None = a fresh one."""

    channel: str
    type: str
    payload: Mapping[str, object]
    id: str | None = None


class Try(msgspec.Struct, frozen=True):
    """Ask the device book; answer with ``Accepted`` or ``Refused`` before the next frame is read."""

    credential: Credential
    hello: Hello


class CountFailure(msgspec.Struct, frozen=True):
    """Tell the limiter."""

    bucket: Literal["session", "pairing"]


class Deliver(msgspec.Struct, frozen=True):
    """Hand a message to its channel. ``id`` "" = the device gave none that can be repeated."""

    channel: str
    type: str
    id: str
    payload: Mapping[str, object]


class Close(msgspec.Struct, frozen=True):
    """Close the socket; nothing is sent after it."""

    code: int
    reason: str = ""


Effect = Send | Try | CountFailure | Deliver | Close


class IllegalTransition(Exception):
    """The shell broke the machine's rules; nothing has changed."""


class Socket(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one relay socket. ``channels``: right by channel name, None = every paired device."""

    channels: Mapping[str, str | None]
    state: State = "waiting"
    untried: tuple[Credential, ...] = ()
    trying: Credential | None = None
    hello: Hello = Hello()
    rights: Rights | None = None


Step = tuple[Socket, tuple[Effect, ...]]


def step(socket: Socket, event: Event) -> Step:
    """Advance one socket. Raises IllegalTransition when the shell breaks the order of events."""
    if socket.state == "closed":
        return socket, ()  # late events change nothing
    match event:
        case Text() if socket.state == "waiting":
            return _first_frame(socket, event)
        case Text() if socket.state == "open":
            return socket, _message(socket, event)
        case Accepted() if socket.state == "trying":
            opened = msgspec.structs.replace(
                socket, state="open", untried=(), trying=None, rights=event.rights
            )
            return opened, (Send("system", "auth.ok", event.answer),)
        case Refused() if socket.state == "trying" and socket.trying is not None:
            counted = CountFailure(BUCKETS[socket.trying.kind])
            after, effects = _try_next(socket)
            return after, (counted, *effects)
        case Unavailable() if socket.state == "trying":
            # No auth.fail: the desktop client throws its token away when it gets one.
            return _closed(socket), (Close(TRY_AGAIN, "try again later"),)
        case Blocked() if socket.state == "waiting":
            return _closed(socket), (Close(TRY_AGAIN, "rate limited"),)
        case AuthTimeout():
            return (socket, ()) if socket.state == "open" else _fail(socket, TIMED_OUT)
        case Changed():
            if socket.state != "open":
                return socket, ()
            return msgspec.structs.replace(socket, rights=event.rights), ()
        case Ended():
            reason = "session expired" if event.is_expired else "session revoked"
            return _closed(socket), (Close(POLICY, reason),)
        case ShuttingDown():
            return _closed(socket), (Close(GOING_AWAY, "server shutting down"),)
    raise IllegalTransition(f"{type(event).__name__} while {socket.state}")


def _closed(socket: Socket) -> Socket:
    return msgspec.structs.replace(socket, state="closed", untried=(), trying=None)


def _fail(socket: Socket, reason: str) -> Step:
    return _closed(socket), (Send("system", "auth.fail", {"reason": reason}), Close(NORMAL_CLOSE))


def _first_frame(socket: Socket, frame: Text) -> Step:
    if len(frame.data) > LONGEST_FIRST_FRAME:
        return _fail(socket, BAD_FORMAT)
    try:
        read: object = msgspec.json.decode(frame.data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _fail(socket, BAD_FORMAT)
    if not isinstance(read, dict):
        return _fail(socket, BAD_FORMAT)
    if read.get("channel") != "system" or read.get("type") != "auth":
        return _fail(socket, NOT_AUTH)
    payload = read.get("payload")
    hello, credentials = read_auth(payload if isinstance(payload, dict) else {})
    asked = msgspec.structs.replace(socket, state="trying", untried=credentials, hello=hello)
    after, effects = _try_next(asked)
    if not credentials:
        effects = (CountFailure("session"), *effects)
    return after, effects


def _try_next(socket: Socket) -> Step:
    if not socket.untried:
        return _fail(socket, REFUSED)
    first, *rest = socket.untried
    after = msgspec.structs.replace(socket, trying=first, untried=tuple(rest))
    return after, (Try(first, socket.hello),)


def read_auth(payload: Mapping[str, object]) -> tuple[Hello, tuple[Credential, ...]]:
    """The introduction and the credentials of a ``system/auth`` payload, in the order to try them.

    What is not text, empty or longer than any real credential is not one.
    """
    found: list[Credential] = []
    kinds: tuple[CredentialKind, ...] = ("session_token", "refresh_token", "pairing_code")
    for kind in kinds:
        secret = payload.get(kind)
        if not isinstance(secret, str) or len(secret) > LONGEST_CREDENTIAL:
            continue
        secret = secret.strip().upper() if kind == "pairing_code" else secret.strip()
        if secret:
            found.append(Credential(kind, secret))
    hello = Hello(
        name=_said(payload, "device_name") or _said(payload, "device_hostname"),
        device_id=_said(payload, "device_id", LONGEST_ID),
        model=_said(payload, "device_model"),
        platform=_said(payload, "device_platform"),
        surface=_said(payload, "client_surface"),
        form_factor=_said(payload, "device_form_factor"),
        sent_refresh_token=any(one.kind == "refresh_token" for one in found),
    )
    return hello, tuple(found)


def _said(payload: Mapping[str, object], field: str, limit: int = NAME_LIMIT) -> str:
    value = payload.get(field)
    return clean_line(value, limit) if isinstance(value, str) else ""


def _message(socket: Socket, frame: Text) -> tuple[Effect, ...]:
    """What one frame of an open socket causes; what is no envelope is ignored, as the contract says."""
    try:
        read: object = msgspec.json.decode(frame.data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ()
    if not isinstance(read, dict):
        return ()
    given = read.get("id")
    id_ = given if isinstance(given, str) and len(given) <= LONGEST_ID else ""
    kind = read.get("type")
    kind = kind if isinstance(kind, str) else ""
    payload = read.get("payload")
    payload = payload if isinstance(payload, dict) else {}
    channel = read.get("channel")
    channel = channel if isinstance(channel, str) else ""
    if channel == "system":
        return _system(kind, id_, payload, frame.now_ms)
    if channel not in socket.channels:
        return (system_error(f"Unknown channel: {clean_line(channel, NAME_LIMIT)}", id_),)
    right = socket.channels[channel]
    if socket.rights is None or not socket.rights.may(right, frame.now_ms):
        return (system_error(f"{(right or channel).capitalize()} grant expired for this device", id_),)
    return (Deliver(channel, kind, id_, payload),)


def _system(kind: str, id_: str, payload: Mapping[str, object], now_ms: int) -> tuple[Effect, ...]:
    if kind != "ping":
        return ()
    ts = payload.get("ts")
    is_repeatable = isinstance(ts, (int, float)) or (isinstance(ts, str) and len(ts) <= LONGEST_ID)
    return (Send("system", "pong", {"ts": ts if is_repeatable else now_ms / 1000}, id_ or None),)


def system_error(message: str, id_: str = "") -> Send:
    """``system/error`` with the id of what it answers."""
    return Send("system", "error", {"message": message}, id_ or None)
