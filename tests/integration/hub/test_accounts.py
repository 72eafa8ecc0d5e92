"""Accounts over a whole hub: told when they change, kept when a machine is away, and nobody's secret."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from controlroom.client import Refused
from controlroom.core.usage import Reading
from controlroom.hub.ports import NodeAway
from controlroom.testing.fake_node import FakeNode, agent_state
from controlroom.wire.codec import decode
from controlroom.wire.usage import (
    Account,
    AccountState,
    ProfileState,
    UsageAnswer,
    UsageReport,
    UsageRow,
    UsageState,
)
from tests.integration.hub.conftest import House
from tests.support.waiting import until

HOUR = 3_600_000


def usage(house: House, used: float | None = 40.0, account: str | None = "acc_1") -> UsageState:
    now_ms = house.clock.now_ms()
    profile = ProfileState(
        id="prf_1", name="work", kind="claude", folder="/w", account_id=account, login="ok"
    )
    if account is None:
        return UsageState(profiles=(profile,))
    reading = Reading(
        account_id=account,
        length_minutes=300,
        taken_at_ms=now_ms,
        source="endpoint",
        used_pct=used,
        resets_at_ms=now_ms + HOUR,
    )
    return UsageState(
        profiles=(profile,),
        accounts=(AccountState(id=account, kind="claude", name="kim@example.com"),),
        readings=(reading,),
    )


async def tell(house: House, state: UsageState, node: FakeNode | None = None) -> None:
    node = node or house.node
    node.usage_state = state
    await node.touch()


async def until_used(house: House, used: float | None) -> Account:
    async def fits() -> Account | None:
        accounts = await house.client.accounts()
        is_so = bool(accounts) and [window.used_pct for window in accounts[0].windows] == [used]
        return accounts[0] if is_so else None

    return await until(fits, f"an account with {used} % used")


async def events(house: House, name: str) -> list[msgspec.Raw]:
    told = await house.store.events_after(0, 1000)
    return [msgspec.Raw(event.data) for event in told if event.name == name]


async def test_an_account_is_a_list_of_the_api_and_each_change_an_event(house: House) -> None:
    await tell(house, usage(house))
    account = await until_used(house, 40.0)
    assert (account.name, account.login, account.profiles) == ("kim@example.com", "ok", ("prf_1",))
    (profile,) = await house.client.profiles()
    assert (profile.account, profile.machine_id, profile.folder) == ("acc_1", "mac_1", "/w")
    async with house.raw() as session, session.get("/api/v1/accounts") as answer:
        assert isinstance(await answer.json(), list)
    await tell(house, usage(house, 41.0))
    await until_used(house, 41.0)

    async def told() -> bool:
        return len(await events(house, "account.changed")) >= 2

    await until(told, "both events")
    shown = [decode(raw, Account) for raw in await events(house, "account.changed")]
    assert [one.windows[0].used_pct for one in shown] == [40.0, 41.0]


async def test_the_same_snapshot_again_makes_no_event(house: House) -> None:
    await tell(house, usage(house))
    await until_used(house, 40.0)
    await house.hub._accounts.look()
    before = len(await events(house, "account.changed"))
    for _ in range(3):
        await house.node.touch()
        await house.hub._accounts.look()
    assert len(await events(house, "account.changed")) == before == 1


async def test_an_account_that_nobody_is_signed_in_to_any_more_goes(house: House) -> None:
    await tell(house, usage(house))
    await until_used(house, 40.0)
    await house.hub._accounts.look()
    await tell(house, usage(house, account=None))

    async def gone() -> bool:
        return len(await events(house, "account.gone")) == 1

    await until(gone, "the account to be gone")
    assert await house.client.accounts() == ()


async def test_a_machine_that_is_away_keeps_its_last_readings_over_a_restart(house: House) -> None:
    await tell(house, usage(house))
    await until_used(house, 40.0)
    await house.hub._accounts.look()
    await house.node.go_away()
    await house.restart()
    (account,) = await house.client.accounts()
    assert account.windows[0].used_pct == 40.0
    report = await house.client.usage()
    assert (report.rows, report.missing) == ((), ("mac_1",)), "one that was not met since is missing too"


async def test_what_was_used_adds_up_over_machines_and_says_who_is_missing(house: House) -> None:
    def row(key: str) -> UsageRow:
        return UsageRow(
            key=key,
            input_tokens=1,
            cache_read_tokens=1,
            cache_write_tokens=1,
            output_tokens=1,
            answers=1,
            cost_usd=0.5,
        )

    await house.node.put(agent_state())
    await house.until_agent()
    house.node.used["day"] = UsageAnswer(rows=(row("2026-11-30"),), unpriced=("local-llama",))
    report = await house.client.usage("day")
    assert [(one.key, one.cost_usd) for one in report.rows] == [("2026-11-30", 0.5)]
    assert (report.unpriced, report.missing) == (("local-llama",), ())
    await house.node.go_away()

    async def missing() -> UsageReport | None:
        report = await house.client.usage("day")
        return report if report.missing else None

    report = await until(missing, "the machine to be missing")
    assert (report.missing, report.rows) == (("mac_1",), ())


async def test_another_way_to_ask_is_refused(house: House) -> None:
    with pytest.raises(Refused) as refused:
        await house.client._get("/usage", UsageReport, by="colour")
    assert refused.value.code == "bad_request"
    assert "agent, day, model, profile" in refused.value.text


async def test_agents_may_read_accounts_and_what_they_used(house: House) -> None:
    await tell(house, usage(house))
    await until_used(house, 40.0)
    house.callers.agent = "agt_1"
    assert len(await house.client.accounts()) == 1
    assert (await house.client.usage()).rows == ()


async def test_machines_read_again_and_those_that_are_away_are_named(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    assert (await house.client.read_accounts()).missing == ()
    assert house.node.usage_reads == 1
    await house.node.go_away()

    async def is_away() -> bool:
        return (await house.client.read_accounts()).missing == ("mac_1",)

    await until(is_away, "the machine is away")


async def test_machines_are_asked_at_once_and_one_that_fails_hides_no_other(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of these answers only when all of them were asked; the last one never does."""
    others = [FakeNode(house.clock, f"mac_{number}", name=f"desk {number}") for number in (2, 3, 4)]
    house.nodes += others
    asked, left = asyncio.Event(), 3

    async def together() -> None:
        nonlocal left
        left -= 1
        if not left:
            asked.set()
        await asked.wait()

    async def fails() -> None:
        raise NodeAway

    async def never() -> None:
        await together()
        await asyncio.Event().wait()

    house.node.read_usage = others[0].read_usage = together  # type: ignore[method-assign]
    others[1].read_usage, others[2].read_usage = fails, never  # type: ignore[method-assign]
    await house.restart()
    await until(
        lambda: [machine.online for machine in house.hub.fleet().machines] == [True] * 4, "all are there"
    )
    monkeypatch.setattr("controlroom.hub.accounts.ASK_S", 3.0)
    assert (await house.client.read_accounts()).missing == ("mac_3", "mac_4")
    assert asked.is_set()
