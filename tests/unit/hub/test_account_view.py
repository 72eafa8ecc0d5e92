"""Accounts as clients see them, from what several machines know."""

from __future__ import annotations

import msgspec
import pytest

from controlroom.core.usage import FIVE_HOURS, WEEK, Paid, Reading
from controlroom.hub.account_view import accounts_of, added, in_hub_time, profiles_of
from controlroom.wire.usage import Account, AccountState, ProfileState, UsageRow, UsageState

NOW, HOUR = 1_796_000_000_000, 3_600_000


def reading(used: float | None, taken_at_ms: int, minutes: int = WEEK, account: str = "acc_1") -> Reading:
    return Reading(
        account_id=account,
        length_minutes=minutes,
        taken_at_ms=taken_at_ms,
        source="endpoint",
        used_pct=used,
        resets_at_ms=NOW + 50 * HOUR,
    )


def usage(*readings: Reading, paid: Paid | None = None, profile: str = "prf_1", **more: object) -> UsageState:
    state = ProfileState(id=profile, name="work", kind="claude", folder="/w", account_id="acc_1", login="ok")
    return UsageState(
        profiles=(msgspec.structs.replace(state, **more),),
        accounts=(AccountState(id="acc_1", kind="claude", name="kim@example.com", paid=paid),),
        readings=readings,
    )


def seen(machines: dict[str, UsageState], now_ms: int = NOW) -> list[Account]:
    return accounts_of(machines, lambda account: None, now_ms)


def test_one_account_on_two_machines_is_one_with_the_freshest_reading() -> None:
    (account,) = seen(
        {
            "mac_1": usage(reading(90.0, NOW - HOUR), profile="prf_1"),
            "mac_2": usage(reading(95.0, NOW - 1000), profile="prf_2"),
        }
    )
    assert account.profiles == ("prf_1", "prf_2")
    assert [(window.name, window.used_pct, window.state) for window in account.windows] == [
        ("week", 95.0, "fresh")
    ]


def test_an_account_without_a_reading_has_no_window_and_no_hold() -> None:
    (account,) = seen({"mac_1": usage()})
    assert (account.windows, account.hold) == ((), None)


def test_an_account_at_its_limit_is_held_until_its_reset_and_not_longer() -> None:
    machines = {"mac_1": usage(reading(100.0, NOW), reading(50.0, NOW, FIVE_HOURS))}
    (held,) = seen(machines)
    assert held.hold is not None
    assert held.hold.until_ms == NOW + 50 * HOUR
    (later,) = seen(machines, NOW + 50 * HOUR)
    assert later.hold is None
    assert later.windows[1].used_pct == 0.0


def test_times_of_a_machine_whose_clock_is_wrong_are_moved_into_ours() -> None:
    told = in_hub_time(usage(reading(5.0, NOW - HOUR), login_ends_ms=NOW), 2 * HOUR)
    assert told.readings[0].taken_at_ms == NOW + HOUR
    assert told.readings[0].resets_at_ms == NOW + 52 * HOUR
    assert told.profiles[0].login_ends_ms == NOW + 2 * HOUR
    assert in_hub_time(usage(), 0) == usage()


def test_a_login_ends_while_its_machine_is_away() -> None:
    machines = {"mac_1": usage(login_ends_ms=NOW + HOUR)}
    assert seen(machines)[0].login == "ends_soon"
    assert seen(machines)[0].login_ends_ms == NOW + HOUR
    (ended,) = seen(machines, NOW + HOUR)
    assert (ended.login, ended.login_ends_ms) == ("out", None)
    assert profiles_of(machines, NOW + HOUR)[0].login == "out"


def test_an_idle_login_says_so_on_its_old_readings() -> None:
    (account,) = seen({"mac_1": usage(reading(70.0, NOW - 2 * HOUR), login="idle")})
    assert (account.login, account.windows[0].state) == ("idle", "idle_login")


@pytest.mark.parametrize(
    ("said", "enabled"),
    [((True,), True), ((False,), False), ((False, True), True), ((None,), None)],
)
def test_whether_paid_usage_is_on_is_known_from_any_machine(
    said: tuple[bool | None, ...], enabled: bool | None
) -> None:
    others = {f"mac_{number}": usage(paid=Paid(is_enabled=one)) for number, one in enumerate(said, 2)}
    (account,) = seen({"mac_1": usage(paid=Paid(used_cents=40))} | others)
    assert account.paid == Paid(is_enabled=enabled, used_cents=40)


def test_paid_usage_that_one_machine_sees_in_use_is_in_use() -> None:
    (account,) = seen(
        {
            "mac_1": usage(paid=Paid(is_enabled=True, used_cents=40, limit_cents=100)),
            "mac_2": usage(paid=Paid(is_in_use=True), profile="prf_2"),
        }
    )
    assert account.paid == Paid(is_enabled=True, is_in_use=True, used_cents=40, limit_cents=100)


def test_a_reserve_is_shown_with_the_account() -> None:
    (account,) = accounts_of({"mac_1": usage()}, lambda account: 20.0, NOW)
    assert account.reserve_pct == 20.0


def row(key: str, output: int, cost: float | None) -> UsageRow:
    return UsageRow(
        key=key,
        input_tokens=1,
        cache_read_tokens=2,
        cache_write_tokens=3,
        output_tokens=output,
        answers=1,
        cost_usd=cost,
    )


def test_rows_of_machines_add_up_and_a_missing_price_stays_missing() -> None:
    rows = added(
        [row("b", 1, None), row("a", 5, 0.5), row("a", 6, 0.25), row("b", 1, None), row("c", 1, 1.0)]
    )
    assert [(one.key, one.output_tokens, one.cost_usd, one.partly_priced) for one in rows] == [
        ("a", 11, 0.75, False),
        ("b", 2, None, False),
        ("c", 1, 1.0, False),
    ]
    (both,) = added([row("a", 1, None), row("a", 1, 2.0)])
    assert (both.cost_usd, both.partly_priced) == (2.0, True)
