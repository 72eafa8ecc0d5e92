"""A house whose node tells of accounts: what tests of moves and of the policy begin with."""

from __future__ import annotations

from controlroom.core.usage import Paid, Reading
from controlroom.testing.fake_node import agent_state
from controlroom.wire.usage import AccountState, ProfileState, UsageState
from tests.integration.hub.conftest import House

HOUR, DAY = 3_600_000, 86_400_000


async def tell(
    house: House, used: dict[str, float], paid: Paid | None = None, *, old: str = "", **agent: object
) -> None:
    """An agent in the first profile, and so much of each account's week used. ``old``: the account that was
    read an hour ago."""
    now_ms = house.clock.now_ms()
    readings = [
        Reading(
            account_id=f"acc_{name}",
            length_minutes=length,
            taken_at_ms=now_ms - HOUR if name == old else now_ms,
            source="endpoint",
            used_pct=percent if length > 300 else 20,
            resets_at_ms=now_ms + (2 * DAY + HOUR // 2 if length > 300 else HOUR),
        )
        for name, percent in used.items()
        for length in (300, 10_080)
    ]
    house.node.usage_state = UsageState(
        profiles=tuple(
            ProfileState(
                id=f"prf_{name}",
                name=name,
                kind="claude",
                folder=f"/{name}",
                account_id=f"acc_{name}",
                login="ok",
            )
            for name in used
        ),
        accounts=tuple(AccountState(id=f"acc_{name}", kind="claude", name=name, paid=paid) for name in used),
        readings=tuple(readings),
    )
    state = {"profile": f"/{next(iter(used))}", "session_id": "session-1"} | agent
    await house.node.put(agent_state(**state))  # type: ignore[arg-type] # by name
