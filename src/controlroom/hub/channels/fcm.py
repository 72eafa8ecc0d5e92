"""To a native app on Android, straight from here: Firebase Cloud Messaging (HTTP v1) with a service account.

The account's key buys a token for an hour. What goes out is data: the app itself shows it, and takes it away.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import jwt
import msgspec

from controlroom.hub.channels import payload
from controlroom.hub.channels.base import Again, Answer, Delivered, Gone, Notice, Refused, Target
from controlroom.hub.channels.http2 import Http2, Said
from controlroom.hub.channels.statuses import again_at, answer_to, clock_off_ms
from controlroom.hub.channels.webpush import topic
from controlroom.kit.clock import Clock
from controlroom.kit.settings import Push

NAME: Final = "fcm"
WHO: Final = "Google’s push service"
LONGEST: Final = 3800  # bytes of data; 4,000 with its names
SCOPE: Final = "https://www.googleapis.com/auth/firebase.messaging"
GRANT: Final = "urn:ietf:params:oauth:grant-type:jwt-bearer"
EARLY_S: Final = 300  # a token is renewed so long before its end
GONE_CODES: Final = frozenset({"UNREGISTERED", "SENDER_ID_MISMATCH"})


class _Account(msgspec.Struct):
    """What a service account's file says, as far as it is needed."""

    project_id: str
    client_email: str
    private_key: str
    token_uri: str
    private_key_id: str = ""


class _Token(msgspec.Struct):
    access_token: str
    expires_in: int = 3600


class _Detail(msgspec.Struct):
    errorCode: str = ""


class _Error(msgspec.Struct, frozen=True):
    status: str = ""
    details: tuple[_Detail, ...] = ()


class _Problem(msgspec.Struct):
    error: _Error = _Error()


class Fcm:
    """``settings``: the account's file, and the service's address."""

    name: Final = NAME
    clears: Final = True

    def __init__(self, settings: Push, folder: Path, clock: Clock, http: Http2) -> None:
        self._url = settings.fcm_url.rstrip("/")
        self._path = folder / settings.fcm_account_file
        self._clock = clock
        self._http = http
        self._token = ""
        self._ends_s = 0
        self._off_ms = 0
        self._lock = asyncio.Lock()

    async def send(self, target: Target, notice: Notice) -> Answer:
        try:
            text, is_cut = payload.fitted(notice, payload.web, LONGEST)
        except ValueError:
            return Refused("The notice is too large for a push.")
        android = {
            "priority": "HIGH" if notice.urgency == "high" else "NORMAL",
            "ttl": f"{max(0, notice.ttl_s)}s",
            "collapse_key": topic(notice.tag),
        }
        data = {"notice": text.decode()}
        answer = await self._posted({"token": target.address, "data": data, "android": android})
        return Delivered(cut=is_cut) if isinstance(answer, Delivered) else answer

    async def clear(self, target: Target, tags: Sequence[str], badge: int) -> Answer:
        gone = msgspec.json.encode(list(tags)[-payload.MOST_GONE :]).decode()
        return await self._posted(
            {
                "token": target.address,
                "data": {"gone": gone, "badge": str(badge)},
                "android": {"priority": "NORMAL"},
            }
        )

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _posted(self, message: dict[str, object]) -> Answer:
        body = msgspec.json.encode({"message": message})
        for is_last in (False, True):
            login = await self._login()
            if not isinstance(login, tuple):
                return login
            project, token = login
            headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
            said = await self._http.post(f"{self._url}/v1/projects/{project}/messages:send", headers, body)
            if not isinstance(said, Said):
                return said
            if said.status == 401 and not is_last:
                self._token = ""  # it was taken back; a new one, once
                continue
            return self._answer(said)
        raise AssertionError("the last try always answers")

    def _answer(self, said: Said) -> Answer:
        codes = _codes(said.data)
        if codes & GONE_CODES or said.status == 404:
            return Gone(f"{WHO} says that the app is not there any more.")
        if said.status in (401, 403):
            return Refused(f"{WHO} refuses our account (HTTP {said.status}).", whole_channel=True)
        return answer_to(said.status, said.headers, self._clock.now_ms(), WHO)

    async def _login(self) -> tuple[str, str] | Again | Refused:
        """The project and a token that is good for some minutes more."""
        async with self._lock:
            try:
                account = msgspec.json.decode(await asyncio.to_thread(self._path.read_bytes), type=_Account)
            except OSError as error:
                return Refused(f"The account of FCM cannot be read: {error.strerror}.", whole_channel=True)
            except (msgspec.MsgspecError, UnicodeError):
                return Refused("The account of FCM is none.", whole_channel=True)
            if self._token and self._clock.now_ms() // 1000 < self._ends_s - EARLY_S:
                return account.project_id, self._token
            said = await self._bought(account)
            if isinstance(said, Said) and said.status in (400, 401):
                off_ms = clock_off_ms(said.headers, self._clock.now_ms())
                if off_ms != self._off_ms:
                    self._off_ms = off_ms  # our clock is wrong: sign by theirs
                    said = await self._bought(account)
            if not isinstance(said, Said):
                return said
            if said.status == 429 or said.status >= 500:
                after_ms = again_at(said.headers, self._clock.now_ms())
                return Again(f"Google’s login is busy (HTTP {said.status}).", after_ms)
            if not 200 <= said.status < 300:
                return Refused(
                    f"Google’s login refuses our account (HTTP {said.status}).", whole_channel=True
                )
            try:
                token = msgspec.json.decode(said.data, type=_Token)
            except (msgspec.MsgspecError, UnicodeError):
                return Again("Google’s login answered something that is no answer.")
            self._token = token.access_token
            self._ends_s = self._clock.now_ms() // 1000 + token.expires_in
            return account.project_id, self._token

    async def _bought(self, account: _Account) -> Said | Again | Refused:
        now_s = (self._clock.now_ms() + self._off_ms) // 1000
        claims = {
            "iss": account.client_email,
            "scope": SCOPE,
            "aud": account.token_uri,
            "iat": now_s,
            "exp": now_s + 3600,
        }
        try:
            signed = jwt.encode(
                claims, account.private_key, algorithm="RS256", headers={"kid": account.private_key_id}
            )
        except (ValueError, TypeError, jwt.PyJWTError):
            return Refused("The account of FCM holds no key.", whole_channel=True)
        body = urlencode({"grant_type": GRANT, "assertion": signed}).encode()
        headers = {"content-type": "application/x-www-form-urlencoded"}
        return await self._http.post(account.token_uri, headers, body)


def _codes(data: bytes) -> set[str]:
    try:
        error = msgspec.json.decode(data, type=_Problem).error
    except (msgspec.MsgspecError, UnicodeError):
        return set()
    return {error.status, *(detail.errorCode for detail in error.details)}
