"""Accounts and profiles as clients see them, made of what all machines know of them. Pure.

The freshest reading of each window counts, from whatever machine; the same account in several profiles, on
several machines, is one account.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from controlroom.core.usage import (
    LoginState,
    Paid,
    Reading,
    Window,
    best_login,
    freshest,
    hold_of,
    login_state,
    window_now,
)
from controlroom.wire.usage import (
    Account,
    AccountState,
    AccountWindow,
    Profile,
    ProfileState,
    UsageRow,
    UsageState,
)


def in_hub_time(usage: UsageState, offset_ms: int) -> UsageState:
    """What a node told, with its times moved into the hub's clock."""
    if not offset_ms:
        return usage
    return msgspec.structs.replace(
        usage,
        profiles=tuple(
            msgspec.structs.replace(one, login_ends_ms=_moved(one.login_ends_ms, offset_ms))
            for one in usage.profiles
        ),
        readings=tuple(
            msgspec.structs.replace(
                one,
                taken_at_ms=one.taken_at_ms + offset_ms,
                resets_at_ms=_moved(one.resets_at_ms, offset_ms),
            )
            for one in usage.readings
        ),
    )


def _moved(at_ms: int | None, offset_ms: int) -> int | None:
    return None if at_ms is None else at_ms + offset_ms


def accounts_of(
    machines: Mapping[str, UsageState], reserve_of: Callable[[Account], float | None], now_ms: int
) -> list[Account]:
    """All accounts that some profile is signed in to now, by kind and name."""
    states: dict[str, list[AccountState]] = {}
    profiles: dict[str, list[ProfileState]] = {}
    readings: list[Reading] = []
    for machine_id in sorted(machines):
        usage = machines[machine_id]
        readings += usage.readings
        for account in usage.accounts:
            states.setdefault(account.id, []).append(account)
        for profile in usage.profiles:
            if profile.account_id is not None:
                profiles.setdefault(profile.account_id, []).append(profile)
    windows: dict[str, list[Reading]] = {}
    for reading in freshest(readings, now_ms).readings:
        windows.setdefault(reading.account_id, []).append(reading)
    made = [
        _account(told, profiles.get(id, []), windows.get(id, []), reserve_of, now_ms)
        for id, told in states.items()
    ]
    return sorted(made, key=lambda account: (account.kind, account.name, account.id))


def _account(
    told: list[AccountState],
    profiles: list[ProfileState],
    readings: list[Reading],
    reserve_of: Callable[[Account], float | None],
    now_ms: int,
) -> Account:
    login = best_login(_login(profile, now_ms) for profile in profiles)
    shown: list[Window] = [window_now(reading, now_ms, login) for reading in readings]
    ends = [profile.login_ends_ms for profile in profiles if profile.login_ends_ms is not None]
    account = Account(
        id=told[0].id,
        kind=told[0].kind,
        name=told[0].name,
        plan=next((one.plan for one in told if one.plan), None),
        login=login,
        login_ends_ms=min((end for end in ends if end > now_ms), default=None),
        profiles=tuple(profile.id for profile in profiles),
        windows=tuple(AccountWindow.of(window) for window in shown),
        hold=hold_of(shown, now_ms),
        paid=_paid(told),
    )
    return msgspec.structs.replace(account, reserve_pct=reserve_of(account))


def _login(profile: ProfileState, now_ms: int) -> LoginState:
    """As it stands now: what its machine said may be hours old, and the login may have ended since."""
    return login_state(
        is_there=profile.login != "out",
        is_idle=profile.login == "idle",
        ends_ms=profile.login_ends_ms,
        now_ms=now_ms,
    )


def _paid(told: Iterable[AccountState]) -> Paid | None:
    """What is known of paid usage: in use as soon as one machine says so. The machine that says most about
    money may not know whether it is on: then one that knows is believed, "on" before "off"."""
    known = [one.paid for one in told if one.paid is not None]
    if not known:
        return None
    most = max(known, key=lambda paid: (paid.used_cents is not None, paid.used_cents or 0))
    if most.is_enabled is None:
        said = [paid.is_enabled for paid in known if paid.is_enabled is not None]
        most = msgspec.structs.replace(most, is_enabled=max(said, default=None))
    if any(paid.is_in_use for paid in known):
        return msgspec.structs.replace(most, is_in_use=True)
    return most


def profiles_of(machines: Mapping[str, UsageState], now_ms: int) -> list[Profile]:
    """All profiles, machine by machine in the order in which each names them."""
    return [
        Profile(
            id=one.id,
            name=one.name,
            machine_id=machine_id,
            kind=one.kind,
            folder=one.folder,
            account=one.account_id,
            login=_login(one, now_ms),
            login_ends_ms=one.login_ends_ms,
            problem=one.problem,
        )
        for machine_id in sorted(machines)
        for one in machines[machine_id].profiles
    ]


def added(rows: Iterable[UsageRow]) -> tuple[UsageRow, ...]:
    """Rows of several machines, those with the same key made one, by key."""
    sums: dict[str, UsageRow] = {}
    for row in rows:
        known = sums.get(row.key)
        sums[row.key] = row if known is None else _sum(known, row)
    return tuple(sums[key] for key in sorted(sums))


def _sum(one: UsageRow, other: UsageRow) -> UsageRow:
    costs = [row.cost_usd for row in (one, other) if row.cost_usd is not None]
    return UsageRow(
        key=one.key,
        input_tokens=one.input_tokens + other.input_tokens,
        cache_read_tokens=one.cache_read_tokens + other.cache_read_tokens,
        cache_write_tokens=one.cache_write_tokens + other.cache_write_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        answers=one.answers + other.answers,
        cost_usd=sum(costs) if costs else None,
        partly_priced=one.partly_priced or other.partly_priced or len(costs) == 1,
    )
