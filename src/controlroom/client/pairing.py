"""Becoming a device of a hub elsewhere: a code for a token."""

from __future__ import annotations

import asyncio
import platform
import socket
from collections.abc import Sequence
from typing import NamedTuple

import aiohttp
import msgspec

from controlroom.client.addresses import API, LOOK_S, Address, first_that_answers, looked_at
from controlroom.client.answers import answered
from controlroom.client.errors import CannotReach
from controlroom.client.logins import Login
from controlroom.wire.codec import encode
from controlroom.wire.device import Paired, PairWithCode

PAIR_S = 20.0  # the hub stores the new device before it answers


class LookedAt(NamedTuple):
    """All addresses in their order, and what those that are away said."""

    addresses: list[Address]
    away: list[str]


async def remembered(addresses: Sequence[Address]) -> LookedAt:
    """The addresses with what must be remembered of their certificates. Raises CannotReach when all are away.

    One that is away stays in its place as new: nobody knows yet which certificate is its own.
    """
    found, away = list[Address](), list[str]()
    for address in addresses:
        try:
            found.append(await looked_at(address))
        except CannotReach as error:
            found.append(msgspec.structs.replace(address, is_new=True))
            away.append(str(error))
    if len(away) == len(found):
        raise CannotReach(" ".join(away))
    return LookedAt(found, away)


async def log_in(name: str, client_id: str, addresses: Sequence[Address], code: str) -> Login:
    """Trade the code for a token at the first address that answers; the login keeps all of them in their
    order. Raises CannotReach, Refused.

    The certificates have been looked at before: the code is told to nobody else.
    """
    seen = [address for address in addresses if not address.is_new]
    body = PairWithCode(
        code=code,
        device_name=f"Command line on {socket.gethostname()}",
        kind="cli",
        device_id=client_id,
        platform=platform.system(),
    )
    timeout = aiohttp.ClientTimeout(total=PAIR_S, connect=LOOK_S)
    async with first_that_answers(seen, timeout) as (address, session):
        try:
            async with (
                asyncio.timeout(PAIR_S),
                session.post(
                    f"{address.url}{API}/pair",
                    data=encode(body),
                    headers={"Content-Type": "application/json", "Accept": "application/json"},
                    allow_redirects=False,
                ) as answer,
            ):
                status, said = answer.status, await answer.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise CannotReach(f"{address.url} broke off: {str(error)[:200]}") from None
    paired = answered(status, said, Paired, f"POST {API}/pair")
    assert paired.token is not None
    return Login(
        name=name,
        hub=paired.hub,
        device=paired.device.id,
        client_id=client_id,
        token=paired.token,
        addresses=tuple(addresses),
    )
