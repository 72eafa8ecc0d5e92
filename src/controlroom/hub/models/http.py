"""One POST to a model's API: no redirects, no cookies, no proxies by surprise, bounded in time and size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import aiohttp
import msgspec

from controlroom.core.text import clean_line
from controlroom.hub.models.base import ANSWER_BYTES, ANSWER_S, NeedsLogin, NotPossible, RetryLater

T = TypeVar("T")

CONNECT_S = 10.0  # a server that is there answers a handshake within a second
LONGEST_WAIT_S = 6 * 3600.0  # whatever a server asks for, it is asked again that day
_KEPT_WORDS = 160


class _Detail(msgspec.Struct):
    message: str = ""


class _Problem(msgspec.Struct):
    error: _Detail | str = ""


async def post(url: str, body: object, headers: Mapping[str, str], answer: type[T], *, key: str | None) -> T:
    """The decoded answer. ``key`` is taken out of whatever the other side says. Raises ModelError."""
    timeout = aiohttp.ClientTimeout(total=ANSWER_S, connect=CONNECT_S)
    sent = {"Content-Type": "application/json", "Accept-Encoding": "identity", **headers}
    try:
        async with (
            aiohttp.ClientSession(
                timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False
            ) as session,
            session.post(
                url, data=msgspec.json.encode(body), headers=sent, allow_redirects=False
            ) as response,
        ):
            data = await _bounded(response)
            status, after = response.status, response.headers.get("Retry-After", "")
    except TimeoutError:
        raise RetryLater("The model did not answer in time.") from None
    except aiohttp.ClientSSLError:
        raise NotPossible("The model's server has no certificate that can be trusted.") from None
    except aiohttp.InvalidURL:
        raise NotPossible("checker.url is no address.") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        # The names alone: an error's text may hold what was sent.
        raise RetryLater(f"The model cannot be reached ({type(error).__name__}).") from None
    if status != 200:
        raise _refused(status, data, _pause(after), key)
    try:
        return msgspec.json.decode(data, type=answer)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise RetryLater("The model's server answered something that is no answer.") from None


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    parts, size = [], 0
    async for part in response.content.iter_chunked(65_536):
        size += len(part)
        if size > ANSWER_BYTES:
            raise RetryLater("The model's answer is far too long.")
        parts.append(part)
    return b"".join(parts)


def _refused(
    status: int, data: bytes, after_s: float | None, key: str | None
) -> RetryLater | NeedsLogin | NotPossible:
    if status in (401, 403):
        return NeedsLogin(f"The model's server refuses the key (HTTP {status}).")
    said = _said(data, key)
    if status in (408, 409, 425, 429) or status >= 500:
        return RetryLater(f"The model is busy or in trouble (HTTP {status}){said}.", after_s)
    if 300 <= status < 400:
        return NotPossible(f"checker.url only points elsewhere (HTTP {status}), which is not followed.")
    if status == 404:
        return NotPossible(f"The model's server knows no such address or model (HTTP 404){said}.")
    return NotPossible(f"The model's server refuses the request (HTTP {status}){said}.")


def _said(data: bytes, key: str | None) -> str:
    """What a refusal says of itself, as one short line."""
    try:
        problem = msgspec.json.decode(data, type=_Problem).error
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return ""
    text = problem if isinstance(problem, str) else problem.message
    if key:
        text = text.replace(key, "…")
    line = clean_line(text, _KEPT_WORDS).rstrip(".")
    return f": {line}" if line else ""


def _pause(header: str) -> float | None:
    """Seconds of a ``Retry-After``; dates and nonsense count as not said."""
    text = header.strip()
    return min(float(text), LONGEST_WAIT_S) if text.isascii() and text.isdigit() and len(text) < 10 else None
