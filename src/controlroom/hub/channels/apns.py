"""To a native app on an iPhone or iPad, straight from here: Apple's push service over HTTP/2.

A key of the app's maker (.p8) signs a token, a new one each half hour.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

import jwt
import msgspec
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from controlroom.hub.channels import payload
from controlroom.hub.channels.base import Answer, Delivered, Gone, Notice, Refused, Target
from controlroom.hub.channels.http2 import Http2, Said
from controlroom.hub.channels.sealed import unpadded
from controlroom.hub.channels.statuses import answer_to, clock_off_ms
from controlroom.kit.clock import Clock
from controlroom.kit.settings import Push

NAME: Final = "apns"
WHO: Final = "Apple’s push service"
LONGEST: Final = 4096  # bytes of a notification
TOKEN_S: Final = 1800  # Apple wants a new token between 20 and 60 minutes
GONE_REASONS: Final = frozenset({"BadDeviceToken", "Unregistered", "ExpiredToken"})
LOGIN_REASONS: Final = frozenset({"ExpiredProviderToken", "InvalidProviderToken", "MissingProviderToken"})


class _Problem(msgspec.Struct):
    reason: str = ""


class Apns:
    """``settings``: the key's file and names, the app's id, and the service's address."""

    name: Final = NAME
    clears: Final = True

    def __init__(self, settings: Push, folder: Path, clock: Clock, http: Http2) -> None:
        self._settings = settings
        self._path = folder / settings.apns_key_file
        self._clock = clock
        self._http = http
        self._token = ""
        self._token_s = 0
        self._off_ms = 0

    async def send(self, target: Target, notice: Notice) -> Answer:
        try:
            body, is_cut = payload.fitted(notice, _alert, LONGEST)
        except ValueError:
            return Refused("The notice is too large for a push.")
        level = "10" if notice.urgency == "high" else "5"
        ends_s = self._clock.now_ms() // 1000 + max(0, notice.ttl_s)
        headers = {
            "apns-push-type": "alert",
            "apns-priority": level,
            "apns-expiration": str(ends_s),
            "apns-collapse-id": unpadded(hashlib.sha256(notice.tag.encode()).digest()),
        }
        answer = await self._posted(target, headers, body)
        return Delivered(cut=is_cut) if isinstance(answer, Delivered) else answer

    async def clear(self, target: Target, tags: Sequence[str], badge: int) -> Answer:
        body = msgspec.json.encode(
            {"aps": {"content-available": 1, "badge": badge}, "gone": list(tags)[-payload.MOST_GONE :]}
        )
        return await self._posted(target, {"apns-push-type": "background", "apns-priority": "5"}, body)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _posted(self, target: Target, headers: dict[str, str], body: bytes) -> Answer:
        url = f"{self._settings.apns_url.rstrip('/')}/3/device/{quote(target.address, safe='')}"
        for is_last in (False, True):
            token = self._signed()
            if isinstance(token, Refused):
                return token
            sent = {**headers, "apns-topic": self._settings.apns_topic, "authorization": f"bearer {token}"}
            said = await self._http.post(url, sent, body)
            if not isinstance(said, Said):
                return said
            reason = _reason(said.data)
            if said.status == 403 and reason in LOGIN_REASONS and not is_last:
                # Too old, or our clock is wrong: a fresh one, by their clock.
                self._off_ms = clock_off_ms(said.headers, self._clock.now_ms())
                self._token = ""
                continue
            return self._answer(said, reason)
        raise AssertionError("the last try always answers")

    def _answer(self, said: Said, reason: str) -> Answer:
        if reason in GONE_REASONS or said.status == 410:
            return Gone(f"{WHO} says that the app is not there any more.")
        if said.status == 429 or said.status >= 500:
            return answer_to(said.status, said.headers, self._clock.now_ms(), WHO)
        if said.status in (401, 403):
            return Refused(f"{WHO} refuses our key ({_safe(reason) or said.status}).", whole_channel=True)
        if said.status == 400:
            return Refused(f"{WHO} does not take this ({_safe(reason) or said.status}).")
        return answer_to(said.status, said.headers, self._clock.now_ms(), WHO)

    def _signed(self) -> str | Refused:
        now_s = (self._clock.now_ms() + self._off_ms) // 1000
        if self._token and abs(now_s - self._token_s) < TOKEN_S:
            return self._token
        try:
            key = serialization.load_pem_private_key(self._path.read_bytes(), None)
        except OSError as error:
            return Refused(f"The key of APNs cannot be read: {error.strerror}.", whole_channel=True)
        except (ValueError, TypeError):
            return Refused("The key of APNs is none.", whole_channel=True)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            return Refused("The key of APNs is of another kind.", whole_channel=True)
        self._token = jwt.encode(
            {"iss": self._settings.apns_team, "iat": now_s},
            key,
            algorithm="ES256",
            headers={"kid": self._settings.apns_key_id},
        )
        self._token_s = now_s
        return self._token


def _alert(notice: Notice) -> bytes:
    level = {"low": "passive", "normal": "active", "high": "time-sensitive"}[notice.urgency]
    aps: dict[str, object] = {
        "alert": {"title": notice.title, "body": notice.body},
        "badge": notice.badge,
        "thread-id": notice.agent_id or notice.kind,
        "interruption-level": level,
    }
    if notice.urgency != "low":
        aps["sound"] = "default"
    if notice.actions:
        aps["category"] = "question"
    # The words stand in the alert; everything else as our own app reads it.
    bare = msgspec.json.decode(payload.web(notice), type=dict[str, object])
    bare.pop("title", None)
    bare.pop("body", None)
    return msgspec.json.encode({"aps": aps, "room": bare})


def _reason(data: bytes) -> str:
    try:
        return msgspec.json.decode(data, type=_Problem).reason
    except (msgspec.MsgspecError, UnicodeError):
        return ""


def _safe(reason: str) -> str:
    return reason if reason.isascii() and reason.isalnum() and len(reason) < 60 else ""
