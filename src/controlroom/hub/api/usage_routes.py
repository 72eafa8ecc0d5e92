"""Rows of the table of routes: accounts, profiles, and what agents used."""

from __future__ import annotations

from typing import get_args

from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Parameter, Route
from controlroom.hub.errors import HubError
from controlroom.wire.usage import Account, Profile, ReadingAsked, UsageBy, UsageReport

WAYS: tuple[UsageBy, ...] = get_args(UsageBy)


async def get_accounts(parts: Parts, call: Call) -> tuple[Account, ...]:
    return parts.accounts.accounts()


async def read_accounts(parts: Parts, call: Call) -> ReadingAsked:
    return ReadingAsked(missing=await parts.accounts.read_again())


async def get_profiles(parts: Parts, call: Call) -> tuple[Profile, ...]:
    return parts.accounts.profiles()


async def get_usage(parts: Parts, call: Call) -> UsageReport:
    asked = call.query.get("by") or "agent"
    by = next((way for way in WAYS if way == asked), None)
    if by is None:
        raise HubError("bad_request", f"by: one of {', '.join(WAYS)}.")
    return await parts.accounts.used(by)


USAGE_ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/accounts",
        "All accounts with their windows, each with the age and source of its reading.",
        get_accounts,
        tuple[Account, ...],
    ),
    Route(
        "POST",
        "/accounts/read",
        "Have all machines read again what accounts have left; news come as account.changed.",
        read_accounts,
        ReadingAsked,
        status=202,
    ),
    Route(
        "GET",
        "/profiles",
        "The config folders of agents, on all machines, and the account of each.",
        get_profiles,
        tuple[Profile, ...],
    ),
    Route(
        "GET",
        "/usage",
        "What agents used: tokens, and what they would cost on the API.",
        get_usage,
        UsageReport,
        query=(Parameter("by", str, "agent (without it), day, model or profile"),),
    ),
)
