"""Request ids: the same id with the same body is one request, whoever asks twice and however.

Only accepted requests are remembered. A refusal leaves no trace, so its id may be tried again.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
import structlog

from controlroom.hub.errors import HubError
from controlroom.hub.store import request_rows
from controlroom.hub.store.store import Change, Store
from controlroom.kit.sql import DatabaseTrouble
from controlroom.wire.codec import decode, encode

S = TypeVar("S", bound=msgspec.Struct)

_log = structlog.get_logger("requests")

REMEMBERED_HERE = 2_000  # key presses: minutes of fast typing
ID = re.compile(r"[A-Za-z0-9_.:\-]{1,100}")


class Requests:
    """What was asked, by whom, with which id, and what came of it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._running: dict[tuple[str, str], tuple[str, asyncio.Future[object]]] = {}
        self._here: OrderedDict[tuple[str, str], tuple[str, bytes]] = OrderedDict()

    async def once(
        self,
        by: str,
        request_id: str,
        body: object,
        kind: type[S],
        do: Callable[[], Awaitable[S]],
        note: Callable[[Change, S], None] | None,
    ) -> S:
        """Do it, or give the result of the first time. ``note`` is stored together with the request.

        Without ``note`` the request is remembered by this process alone: a key is worth no write to disk, and
        what was typed leaves no trace there.

        ``body`` is everything that makes the request what it is. Raises HubError ``conflict`` when the id
        was used for something else, and what ``do`` raises.
        """
        if not ID.fullmatch(request_id):
            raise HubError("bad_request", "request_id: up to 100 letters, digits and _ . : - are allowed.")
        digest = hashlib.sha256(encode(body)).hexdigest()
        key = (by, request_id)
        while (running := self._running.get(key)) is not None:
            if running[0] != digest:
                raise _conflict()
            await asyncio.wait([running[1]])  # then it is stored, or may be tried
        mine: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._running[key] = (digest, mine)
        try:
            if note is None:
                return await self._once_here(key, digest, kind, do)
            known = await self._store.read(lambda c: request_rows.request_row(c, by, request_id))
            if known is not None:
                if known.digest != digest:
                    raise _conflict()
                return decode(known.result, kind)
            result = await do()
            await self._remember(by, request_id, digest, result, note)
            return result
        finally:
            del self._running[key]
            mine.set_result(None)

    async def _once_here(
        self, key: tuple[str, str], digest: str, kind: type[S], do: Callable[[], Awaitable[S]]
    ) -> S:
        if (known := self._here.get(key)) is not None:
            if known[0] != digest:
                raise _conflict()
            return decode(known[1], kind)
        result = await do()
        self._here[key] = (digest, encode(result))
        while len(self._here) > REMEMBERED_HERE:
            self._here.popitem(last=False)
        return result

    async def _remember(
        self, by: str, request_id: str, digest: str, result: S, note: Callable[[Change, S], None]
    ) -> None:
        def job(change: Change) -> None:
            request_rows.add_request(change, by, request_id, digest, encode(result))
            note(change, result)

        try:
            await self._store.change(job)
        except DatabaseTrouble as error:
            # It is done, and saying otherwise would invite a second time; the node knows the id anyway.
            _log.error("a request was done but cannot be stored", request=request_id, error=str(error))


def _conflict() -> HubError:
    return HubError("conflict", "This request_id was used for something else.")
