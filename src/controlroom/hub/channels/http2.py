"""HTTP/2 for Apple's and Google's push services: one connection for many notices. An extra (``native``)."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from controlroom.hub.channels.base import SEND_S, Again, Refused

if TYPE_CHECKING:
    import httpx

CONNECT_S: Final = 10.0
ANSWER_BYTES: Final = 65_536  # what a service says when it refuses has some hundred


class Said(msgspec.Struct, frozen=True):
    """What the other side answered. ``headers`` by their names as HTTP/1 writes them (``Retry-After``)."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Http2:
    """``verify``: whom to trust, None: this system's authorities."""

    def __init__(self, *, wait_s: float = SEND_S / 2, verify: ssl.SSLContext | None = None) -> None:
        self._wait_s = wait_s
        self._verify = verify
        self._client: httpx.AsyncClient | None = None

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Said | Again | Refused:
        """One request. It never raises; texts name no address."""
        try:
            import httpx
        except ImportError:
            return Refused(
                "This needs the extra “native”: install httpx[http2] beside it.", whole_channel=True
            )
        try:
            async with self._opened().stream("POST", url, headers=headers, content=body) as response:
                data = b""
                async for part in response.aiter_raw():
                    data += part
                    if len(data) > ANSWER_BYTES:
                        break
                named = {name.title(): value for name, value in response.headers.items()}
                return Said(response.status_code, named, data)
        except httpx.TimeoutException:
            return Again("The push service did not answer in time.")
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            return Again(f"The push service cannot be reached ({type(error).__name__}).")

    def _opened(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            self._client = httpx.AsyncClient(
                http2=True,
                verify=self._verify or ssl.create_default_context(),
                timeout=httpx.Timeout(self._wait_s, connect=min(CONNECT_S, self._wait_s)),
                follow_redirects=False,
                trust_env=False,
            )
        return self._client

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()
