"""The socket: one connection for each request, and one that stays for events."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import itertools
from collections.abc import AsyncIterator, Mapping, Sequence

import msgspec

from controlroom.node.mux.herdr.protocol import (
    LONGEST_ANSWER,
    Answer,
    Failure,
    Garbage,
    event_name,
    parse_answer,
    request,
)
from controlroom.node.mux.watch import NOBODY

CALL_TIMEOUT_S = 5.0  # a busy server answers late: one with 200 panes took 2.8 s for a snapshot
LONGEST_EVENT = 1024 * 1024
_ids = itertools.count(1)


class Nobody(Exception):
    """No server behind the socket: it does not exist, or its server ended."""


class Shut(Exception):
    """There is something, but it does not take a connection. Nothing was sent."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
        self.is_denied = error.errno in (errno.EACCES, errno.EPERM)


class Lost(Exception):
    """The answer did not come, or was none: the server may or may not have done what it was asked."""


class Late(Lost):
    """Nothing came in time."""


class Refused(Exception):
    """The server says no; ``code`` is its word for why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.code = failure.code
        self.is_unknown_method = Answer(failure=failure).is_unknown_method


async def call(
    path: str, method: str, params: Mapping[str, object], *, timeout_s: float | None = None
) -> msgspec.Raw:
    """Ask once, by itself for ``CALL_TIMEOUT_S``.

    Raises Nobody, Shut, Lost, Refused; ValueError for more than a server takes at once.
    """
    timeout_s = timeout_s or CALL_TIMEOUT_S
    id = f"cr-{next(_ids)}"
    line = request(id, method, params)
    try:
        async with asyncio.timeout(timeout_s):
            async with _connection(path, LONGEST_ANSWER) as (reader, writer):
                # At once and in one piece: a server that finds nothing at its first look sleeps 100 ms.
                answer = parse_answer(await _asked(reader, writer, line), id)
    except TimeoutError:
        raise Late(f"no answer in {timeout_s:g} s") from None
    except Garbage as error:
        raise Lost(str(error)) from None
    if answer.failure is not None:
        raise Refused(answer.failure)
    assert answer.result is not None
    return answer.result


@contextlib.asynccontextmanager
async def events(path: str, entries: Sequence[Mapping[str, str]]) -> AsyncIterator[AsyncIterator[str]]:
    """The names of events, once the server has agreed to tell them. They end when the connection does.

    Nothing is ever written to this connection afterwards: a server takes any byte, and even a half-close,
    as a sign that nobody listens any more. Raises as ``call`` does.
    """
    id = f"cr-{next(_ids)}"
    line = request(id, "events.subscribe", {"subscriptions": list(entries)})
    async with _connection(path, LONGEST_EVENT) as (reader, writer):
        try:
            async with asyncio.timeout(CALL_TIMEOUT_S):
                answer = parse_answer(await _asked(reader, writer, line), id)
        except TimeoutError:
            raise Lost(f"no answer in {CALL_TIMEOUT_S:g} s") from None
        except Garbage as error:
            raise Lost(str(error)) from None
        if answer.failure is not None:
            raise Refused(answer.failure)
        yield _names(reader)


async def _names(reader: asyncio.StreamReader) -> AsyncIterator[str]:
    """Raises Lost when what comes is no event."""
    while True:
        try:
            line = await reader.readuntil(b"\n")
            yield event_name(line)
        except Garbage as error:
            raise Lost(str(error)) from None
        except asyncio.LimitOverrunError:
            raise Lost("an endless event") from None
        except (asyncio.IncompleteReadError, OSError):
            return


@contextlib.asynccontextmanager
async def _connection(
    path: str, limit: int
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    try:
        async with asyncio.timeout(CALL_TIMEOUT_S):
            reader, writer = await asyncio.open_unix_connection(path, limit=limit)
    except TimeoutError:
        raise Late("no connection in time") from None
    except OSError as error:
        if error.errno in NOBODY:
            raise Nobody(path) from None
        raise Shut(error) from None
    try:
        yield reader, writer
    finally:
        writer.transport.abort()  # everything was said: no goodbye that could wait


async def _asked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: bytes) -> bytes:
    """Send a line and read one. Raises Lost."""
    try:
        writer.write(line)
        await writer.drain()
        return await reader.readuntil(b"\n")
    except asyncio.LimitOverrunError:
        raise Lost("an endless answer") from None
    except asyncio.IncompleteReadError as error:
        raise Lost("an answer that breaks off" if error.partial else "no answer") from None
    except OSError as error:
        raise Lost(error.strerror or "the connection broke") from None
