"""Asks Claude's usage endpoint with a login that is there: one GET, and nothing is ever refreshed.

The token is read for the call and gone after it. It goes in a header, to the one address of the settings,
never on after a redirect, and never in the clear to another machine.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import aiohttp

from controlroom.core.attempts import Outcome
from controlroom.node.usage.endpoint import Answered, clock_skew_ms, read_answer
from controlroom.node.usage.login import LoginUnreadable, read_login

ANSWER_S = 15.0  # a slow mobile network; the next round comes in five minutes anyway
MOST_BYTES = 1_000_000
OAUTH_BETA = "oauth-2025-04-20"
USUAL_VERSION = "2.1.332"  # when the folder does not say which version its agent has
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Asked(NamedTuple):
    """One try. ``answered`` None: nothing was asked, ``problem`` says why. ``skew_ms``: how far our clock is
    ahead of the service's, None = not known."""

    answered: Answered | None
    problem: str = ""
    skew_ms: int | None = None


def why_not(url: str) -> str:
    """Why a login must not be sent to this address; "" when it may."""
    parts = urlsplit(url)
    if parts.scheme == "https" or parts.hostname in _LOOPBACK:
        return ""
    return "usage.claude_url is plain HTTP to another machine: a login would be readable on the way."


async def ask(url: str, folder: Path, version: str, now_ms: int) -> Asked:
    """Ask for the account of a config folder. Never raises for anything outside of this program."""
    if problem := why_not(url):
        return Asked(None, problem)
    try:
        login = await asyncio.to_thread(read_login, folder)
    except LoginUnreadable as error:
        return Asked(None, f"Its login cannot be read: {error}.")
    if login is None or login.is_idle(now_ms):
        return Asked(None, "Its login is idle; the agent renews it when it runs next.")
    headers = {
        "Authorization": f"Bearer {login.token}",
        "anthropic-beta": OAUTH_BETA,
        "User-Agent": f"claude-code/{version or USUAL_VERSION}",
        "Accept": "application/json",
    }
    del login
    timeout = aiohttp.ClientTimeout(total=ANSWER_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.get(url, headers=headers, allow_redirects=False) as response,
        ):
            body = await _body(response)
            answered = read_answer(response.status, body, now_ms, response.headers.get("Retry-After", ""))
            skew_ms = clock_skew_ms(response.headers.get("Date", ""), now_ms)
    except (aiohttp.ClientError, OSError, TimeoutError, ValueError):
        # The error's own text could hold the request: it is said in our words.
        return Asked(Answered(_NO_ANSWER), "The service cannot be reached.")
    return Asked(answered, answered.problem, skew_ms)


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """The answer's beginning; the whole of a sane one."""
    parts, size = [], 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            break
    return b"".join(parts)


_NO_ANSWER: Outcome = "unusable"
