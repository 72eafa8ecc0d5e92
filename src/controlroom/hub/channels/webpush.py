"""Web Push: to browsers through the push service that each of them chose (RFC 8030, 8291, 8292).

The service sees when and how much, never what. ``Topic`` replaces an older message that still waits for a
phone which is off.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import aiohttp

from controlroom.hub.channels import payload
from controlroom.hub.channels.base import SEND_S, Again, Answer, Delivered, Gone, Notice, Refused, Target
from controlroom.hub.channels.outside import BadEndpoint, OutsideOnly, PrivateAddress, checked_endpoint
from controlroom.hub.channels.sealed import LONGEST_TEXT, BadKeys, sealed, unpadded
from controlroom.hub.channels.statuses import answer_to, clock_off_ms
from controlroom.hub.channels.vapid import NoKey, Vapid
from controlroom.kit.clock import Clock

WHO: Final = "The push service"
CONNECT_S: Final = 10.0  # a service that is there answers a handshake within a second
MOST_CONNECTIONS: Final = 20


class WebPush:
    """``vapid`` gives the key, made at the first use (``vapid.Vapid.in_folder``)."""

    name: Final = "webpush"
    clears: Final = False

    def __init__(
        self,
        vapid: Callable[[], Vapid],
        clock: Clock,
        *,
        allow_private: bool = False,
        wait_s: float = SEND_S / 2,  # it may be asked twice
    ) -> None:
        self._vapid = vapid
        self._clock = clock
        self._allow_private = allow_private
        self._wait_s = wait_s
        self._session: aiohttp.ClientSession | None = None
        self._off_ms = 0  # the push services' clock before ours, when ours is wrong

    async def send(self, target: Target, notice: Notice) -> Answer:
        try:
            vapid = self._vapid()
        except NoKey as error:
            return Refused(f"Our key for push services is missing: {error}.", whole_channel=True)
        if target.keys.get("vapid", vapid.public) != vapid.public:
            return Gone("This browser subscribed with another key of ours.")
        try:
            endpoint = checked_endpoint(target.address, allow_private=self._allow_private)
            text, is_cut = payload.fitted(notice, payload.web, LONGEST_TEXT)
            body = sealed(text, target.keys.get("p256dh", ""), target.keys.get("auth", ""))
        except BadEndpoint as error:
            return Refused(f"{str(error).partition(': ')[2].capitalize()}.")
        except BadKeys:
            return Gone("This browser's keys are no keys.")
        except ValueError:
            return Refused("The notice is too large for a push.")
        headers = {
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(max(0, notice.ttl_s)),
            "Urgency": notice.urgency,
            "Topic": topic(notice.tag),
        }
        answer = await self._posted(endpoint, body, headers, vapid)
        return Delivered(cut=is_cut) if isinstance(answer, Delivered) else answer

    async def clear(self, target: Target, tags: Sequence[str], badge: int) -> Answer:
        return Refused("A browser cannot be told to take a notice away while its app is closed.")

    async def aclose(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _posted(self, endpoint: str, body: bytes, headers: Mapping[str, str], vapid: Vapid) -> Answer:
        try:
            status, said = await self._post(endpoint, body, headers, vapid)
            now_ms = self._clock.now_ms()
            off_ms = clock_off_ms(said, now_ms)
            if status in (400, 401, 403) and abs(off_ms - self._off_ms) > 1000:
                # Our clock is wrong, so our signature was too old or not valid yet: sign by theirs.
                self._off_ms = off_ms
                status, said = await self._post(endpoint, body, headers, vapid)
        except TimeoutError:
            return Again(f"{WHO} did not answer in time.")
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, PrivateAddress):
                return Refused("It points into a private network.")
            return Again(f"{WHO} cannot be reached.")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            # The name alone: an error's text may hold the endpoint.
            return Again(f"{WHO} cannot be reached ({type(error).__name__}).")
        return answer_to(status, said, self._clock.now_ms(), WHO)

    async def _post(
        self, endpoint: str, body: bytes, headers: Mapping[str, str], vapid: Vapid
    ) -> tuple[int, Mapping[str, str]]:
        now_s = (self._clock.now_ms() + self._off_ms) // 1000
        sent = {**headers, "Authorization": vapid.authorization(endpoint, now_s)}
        async with self._open().post(endpoint, data=body, headers=sent, allow_redirects=False) as response:
            return response.status, response.headers

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            resolver = None if self._allow_private else OutsideOnly()
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=resolver, limit=MOST_CONNECTIONS, use_dns_cache=False
                ),
                timeout=aiohttp.ClientTimeout(total=self._wait_s, connect=CONNECT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session


def topic(tag: str) -> str:
    """At most 32 letters that say nothing but “the same as before” (RFC 8030, section 5.4)."""
    return unpadded(hashlib.sha256(tag.encode()).digest()[:24])
